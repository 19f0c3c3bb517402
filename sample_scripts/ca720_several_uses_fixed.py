"""The model is compiled, and with it what two of its places call.

    ca run sample_scripts/ca720_several_uses_fixed.py

What to look for: nothing.
"""

import torch
from torch import nn


def normalized(x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    return x * x.pow(2).mean(-1, keepdim=True).add(1e-6).rsqrt() * scale


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.scale = nn.Parameter(torch.ones(width))
        self.query_scale = nn.Parameter(torch.ones(width // heads))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = normalized(x, self.scale)
        query = x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        query = normalized(query, self.query_scale)
        attended = nn.functional.scaled_dot_product_attention(query, query, query)
        return attended.transpose(1, 2).flatten(2)


def main() -> None:
    torch.manual_seed(0)
    model = torch.compile(Attention(8, 2), backend="eager")
    x = torch.linspace(0, 1, 2 * 3 * 8).reshape(2, 3, 8)
    for step in range(5):
        loss = model(x).square().sum()
        loss.backward()
        print(f"step {step}: {loss.item():.6f}")


if __name__ == "__main__":
    main()
