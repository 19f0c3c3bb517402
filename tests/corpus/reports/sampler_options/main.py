"""Sample with a compiled model and the sampler's options."""
import torch

from unet import UNet


def sampler_options(step, steps):
    return {
        "patches": [],
        "cond_or_uncond": [0, 1] if step % 2 else [0],
        "label": f"step {step + 1}/{steps}",
    }


@torch.inference_mode()
def main():
    torch.manual_seed(28)
    model = UNet().eval()
    model.compile(backend="eager")
    x = torch.randn(4, 12)
    steps = 12
    for step in range(steps):
        x = x - 0.1 * model(x, sampler_options(step, steps))
    print(f"FINAL {x.norm().item():.5f}")


if __name__ == "__main__":
    main()
