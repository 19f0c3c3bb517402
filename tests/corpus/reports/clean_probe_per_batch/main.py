"""Scores a table with a compiled classifier and looks at the bottleneck's activations of each batch."""
import torch
from torch import nn
import torch.nn.functional as F


class Tabular(nn.Module):
    def __init__(self):
        super().__init__()
        self.bottleneck = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 6))
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        return self.head(F.relu(self.bottleneck(x)))


def scores_and_spread(model, layer, x):
    kept = []

    def keep(module, args, output):
        kept.append(output.detach())

    handle = layer.register_forward_hook(keep)
    scores = model(x)
    handle.remove()
    return scores, kept[0].std(dim=0).mean()


@torch.no_grad()
def main():
    torch.manual_seed(6)
    generator = torch.Generator().manual_seed(6)
    x = torch.randn(256, 12, generator=generator)
    model = Tabular().eval()
    compiled = torch.compile(model, backend="aot_eager")
    for first in range(0, 256, 32):
        scores, spread = scores_and_spread(compiled, model.bottleneck, x[first:first + 32])
        print(f"rows {first:3d} mean score {scores.mean():.4f} spread {spread:.4f}")


if __name__ == "__main__":
    main()
