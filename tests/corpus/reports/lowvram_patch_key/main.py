import torch
from model import DiffusionModel
from model_patcher import ModelPatcher


def main():
    torch.manual_seed(0)
    model = DiffusionModel(depth=6, dim=24)
    patcher = ModelPatcher(model)
    for i in range(6):
        for part in ("q", "v"):
            patcher.add_patch(f"blocks.{i}.{part}.weight", torch.randn(24, 24) * 0.02)
    patcher.patch_lowvram()
    sampler = torch.compile(model, backend="aot_eager")
    x = torch.randn(2, 8, 24)
    with torch.no_grad():
        for step in range(4):
            noise = sampler(x)
            x = x - 0.1 * noise
            print(f"step {step} |x| {x.norm().item():.4f}")
    print("FINAL", round(x.norm().item(), 4))


if __name__ == "__main__":
    main()
