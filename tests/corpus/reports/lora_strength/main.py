import torch
from lora import load_lora, set_lora_strength
from wan import WanBlocks


def render(model, x, steps=3):
    for _ in range(steps):
        x = x - 0.1 * model(x)
    return x


def main():
    torch.manual_seed(0)
    model = WanBlocks(depth=2, dim=16).eval().requires_grad_(False)
    load_lora(model, rank=2, seed=5)
    compiled = torch.compile(model, backend="aot_eager", dynamic=False)
    x = torch.randn(1, 6, 16)
    total = 0.0
    for strength in (1.0, 0.8, 0.6, 0.85, 0.7, 0.75):
        set_lora_strength(model, strength)
        video = render(compiled, x)
        print(f"strength {strength}: {video.std().item():.5f}")
        total += video.std().item()
    print("FINAL", round(total, 5))


if __name__ == "__main__":
    main()
