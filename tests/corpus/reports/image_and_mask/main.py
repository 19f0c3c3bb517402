"""Augment segmentation samples with a compiled crop and flip."""
import torch

from types_ import Image, Mask


@torch.compile(backend="eager")
def crop_flip(x, top: torch.Tensor):
    at = top + torch.arange(12)
    return x[..., at, :].flip(-1)


def samples(n):
    for i in range(n):
        yield {
            "image": torch.rand(3, 16, 16).as_subclass(Image),
            "mask": torch.randint(4, (3, 16, 16)).float().as_subclass(Mask),
            "depth": torch.rand(3, 16, 16),
            "top": torch.tensor(i % 4),
        }


def main():
    torch.manual_seed(27)
    total = 0.0
    for sample in samples(6):
        top = sample.pop("top")
        for name, value in sample.items():
            total += float(crop_flip(value, top).sum())
    print(f"FINAL {total:.3f}")


if __name__ == "__main__":
    main()
