"""Denoise a few latents with a stack of blocks, each compiled on its own (regional compilation)."""
import torch
import torch.nn as nn

from blocks import Block, PlainProcessor


class Denoiser(nn.Module):
    def __init__(self, depth=12, width=32, heads=4):
        super().__init__()
        self.blocks = nn.ModuleList(
            Block(width, heads, PlainProcessor())
            for _ in range(depth)
        )

    def forward(self, hidden):
        for block in self.blocks:
            hidden = block(hidden)
        return hidden


@torch.no_grad()
def main():
    torch.manual_seed(3)
    model = Denoiser().eval()
    for block in model.blocks:
        block.compile(backend="eager")
    latents = torch.randn(2, 16, 32)
    for step in range(4):
        latents = latents - 0.1 * model(latents)
    print(f"FINAL {latents.std().item():.5f}")


if __name__ == "__main__":
    main()
