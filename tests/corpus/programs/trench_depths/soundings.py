import torch


class Soundings:
    """Echo pictures of the sea floor with sparse true depths; zero where none was sounded."""

    def __init__(self, n, side=12, seed=0):
        g = torch.Generator().manual_seed(seed)
        floor = torch.rand(n, 1, side, side, generator=g)
        floor = torch.nn.functional.avg_pool2d(floor, 5, stride=1, padding=2) * 8 + 1
        self.echo = floor.reciprocal() + 0.02 * torch.randn(floor.shape, generator=g)
        known = torch.rand(floor.shape, generator=g) < 0.3
        self.depth = torch.where(known, floor, 0.0)

    def __len__(self):
        return len(self.echo)

    def __getitem__(self, i):
        return self.echo[i], self.depth[i]
