import torch
from upscaler import Upscaler


def main():
    torch.manual_seed(0)
    up = Upscaler(batch_size=5)
    g = torch.Generator().manual_seed(0)
    total = 0.0
    for name, frames in [("intro", 12), ("street", 8), ("beach", 11), ("night", 14), ("credits", 10)]:
        clip = torch.rand(frames, 3, 8, 8, generator=g)
        big = up.upscale(clip)
        total += big.mean().item()
        print(f"{name}: {frames} frames -> {tuple(big.shape)}")
    print("FINAL", round(total, 5))


if __name__ == "__main__":
    main()
