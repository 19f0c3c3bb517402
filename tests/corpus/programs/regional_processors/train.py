"""Only the repeated blocks are compiled; each holds its own processor. Nothing is wrong here."""

import torch
from blocks import Denoiser, PlainProcessor


@torch.no_grad()
def sample(model, steps):
    x = torch.randn(2, 16, 8)
    for _ in range(steps):
        x = x - 0.1 * model(x)
    return x


def main():
    torch.manual_seed(0)
    model = Denoiser().eval()
    for block in model.blocks:
        block.attn.set_processor(PlainProcessor())
    model.compile_repeated_blocks(backend="eager", fullgraph=True)
    for _ in range(2):
        sample(model, 5)


if __name__ == "__main__":
    main()
