import torch
from awq import AWQQuantizer
from blocks import make_model


def main():
    torch.manual_seed(0)
    blocks = make_model(layers=4, dim=16)
    quantizer = AWQQuantizer(bits=4)
    x = torch.randn(4, 8, 16)
    with torch.no_grad():
        for i, block in enumerate(blocks):
            x, err = quantizer.quantize_block(block, x)
            print(f"block {i}: error {err:.5f}")
    print("FINAL", round(x.abs().mean().item(), 5))


if __name__ == "__main__":
    main()
