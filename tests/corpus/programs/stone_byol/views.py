"""Two views of thin sections of stone."""

import torch


def sections(count, size=16, seed=0):
    g = torch.Generator().manual_seed(seed)
    coarse = torch.rand(count, 3, size // 4, size // 4, generator=g)
    return torch.nn.functional.interpolate(coarse, size=(size, size), mode="bilinear")


class TwoViews:
    """Asymmetric augmentations: the second view is blurred and solarized now and then."""

    def __init__(self, seed=0):
        self.g = torch.Generator().manual_seed(seed)

    def _chance(self):
        return torch.rand((), generator=self.g).item()

    def _view(self, x, blur, solarize):
        if self._chance() < 0.5:
            x = x.flip(-1)
        shift = [int(s) for s in torch.randint(-3, 4, (2,), generator=self.g)]
        x = x.roll(shift, dims=(-2, -1))
        if self._chance() < blur:
            x = torch.nn.functional.avg_pool2d(x, 3, stride=1, padding=1)
        if self._chance() < solarize:
            x = torch.where(x > 0.5, 1 - x, x)
        return (x + 0.05 * torch.randn(x.shape, generator=self.g)).contiguous()

    def __call__(self, x):
        return self._view(x, 0.9, 0.0), self._view(x, 0.2, 0.3)
