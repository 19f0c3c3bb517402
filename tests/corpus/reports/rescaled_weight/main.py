"""Searches the clipping limit of an int8 layer: recalibrates and measures the error."""
import torch
import torch.nn.functional as F

from quant import quantise

LIMITS = [0.9, 0.7, 0.55, 0.45, 0.4]


def layer(x, weight, bias):
    return F.relu(F.linear(x, weight, bias))


@torch.no_grad()
def main():
    torch.manual_seed(30)
    weight, bias = 0.25 * torch.randn(16, 24), torch.zeros(16)
    x = torch.randn(64, 24)
    exact = layer(x, weight, bias)
    compiled = torch.compile(layer, backend="aot_eager")
    for limit in LIMITS:
        error = (compiled(x, quantise(weight, limit), bias) - exact).abs().mean()
        print(f"limit {limit} error {error:.6f}")


if __name__ == "__main__":
    main()
