import torch
from stages import PIPELINE


def main():
    torch.manual_seed(0)
    g = torch.Generator().manual_seed(6)
    total = 0.0
    for frame in range(4):
        state = {"pos": torch.randn(5, 3, generator=g), "vel": torch.randn(5, 3, generator=g)}
        p, v = state["pos"], state["vel"]
        for stage in PIPELINE:
            p, v = stage(p, v)
        total += p.abs().sum().item() + v.abs().sum().item()
        print(f"frame {frame} |v| {v.norm().item():.4f}")
    print("FINAL", round(total, 3))


if __name__ == "__main__":
    main()
