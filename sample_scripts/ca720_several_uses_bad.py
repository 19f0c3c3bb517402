"""Two places of a model call a function that is compiled by itself, with other dimensions.

    ca run sample_scripts/ca720_several_uses_bad.py

What to look for: CA720, which is information: one compile for each place is expected.
"""

import torch
from torch import nn


@torch.compile(backend="eager")  # <- CA720
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
    model = Attention(8, 2)
    x = torch.linspace(0, 1, 2 * 3 * 8).reshape(2, 3, 8)
    for step in range(5):
        loss = model(x).square().sum()
        loss.backward()
        print(f"step {step}: {loss.item():.6f}")


if __name__ == "__main__":
    main()
