"""Shade an image: the strength drifts, the style alternates."""

import torch


@torch.compile(backend="eager")
def shade(image, strength, style):
    lit = image * strength
    if style == "soft":
        return torch.sigmoid(lit)
    return lit.clamp(0, 1)


def strength_at(frame):
    return 0.3 + 0.05 * frame


def main():
    torch.manual_seed(14)
    total = 0.0
    for frame in range(6):
        style = "soft" if frame % 3 else "hard"
        total += shade(torch.rand(3, 8, 8), strength_at(frame), style).mean().item()
    print(f"FINAL {total:.5f}")


if __name__ == "__main__":
    main()
