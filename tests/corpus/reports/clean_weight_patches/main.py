"""Video sampler with LoRA patches that are applied to the weights on the fly."""
import torch
from torch import nn
import torch.nn.functional as F


class LowRankPatch:
    """Adds a LoRA to a weight when the layer runs (the weights themselves stay as they are)."""

    def __init__(self, down, up):
        self.down, self.up = down, up

    def __call__(self, weight):
        return weight + self.up @ self.down


class PatchedLinear(nn.Linear):
    def __init__(self, *args):
        super().__init__(*args)
        self.weight_function = []

    def forward(self, x):
        weight = self.weight
        for function in self.weight_function:
            weight = function(weight)
        return F.linear(x, weight, self.bias)


class Block(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.q, self.k, self.v = PatchedLinear(dim, dim), PatchedLinear(dim, dim), PatchedLinear(dim, dim)
        self.o = PatchedLinear(dim, dim)

    def forward(self, x):
        return x + self.o(F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x)))


def load_patches(block, lora):
    for name in ("q", "k", "v", "o"):
        down, up = lora[name]
        patch = lambda weight, d=down, u=up: LowRankPatch(d, u)(weight)
        getattr(block, name).weight_function = [patch]


@torch.no_grad()
def main():
    torch.manual_seed(23)
    block = Block().eval()
    lora = {n: (0.1 * torch.randn(4, 32), 0.1 * torch.randn(32, 4)) for n in ("q", "k", "v", "o")}
    compiled = torch.compile(block, backend="aot_eager")
    for generation in range(5):
        load_patches(block, lora)
        x = torch.randn(1, 24, 32, generator=torch.Generator().manual_seed(generation))
        for _ in range(3):
            x = F.layer_norm(compiled(x), (32,))
        print(f"generation {generation}: {x.std(dim=1).mean():.5f} {x[0, 0, 0]:.5f}")


if __name__ == "__main__":
    main()
