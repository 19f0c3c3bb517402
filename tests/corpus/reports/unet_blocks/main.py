import torch
from unet import UNet


def compile_blocks(unet):
    for block in unet.res_blocks():
        block.forward = torch.compile(block.forward, backend="aot_eager")


def main():
    torch.manual_seed(0)
    unet = UNet(channels=(8, 16, 24, 32, 40, 48)).eval()
    compile_blocks(unet)
    x = torch.randn(1, 8, 32, 32)
    with torch.no_grad():
        for step in range(3):
            x = x - 0.05 * unet(x)
            print(f"step {step}: {x.std().item():.4f}")
    print("FINAL", round(x.std().item(), 5))


if __name__ == "__main__":
    main()
