"""A picture workflow: the resolution is fixed, only the prompt changes between runs."""
import torch
from torch import nn
import torch.nn.functional as F

PROMPTS = ["a red barn", "two old sailors mending a net at dawn", "fog over the hills and a single light", "cat"]


def encode(prompt, dim=32):
    rows = []
    for letter in prompt.replace(" ", ""):
        g = torch.Generator().manual_seed(ord(letter))
        rows.append(torch.randn(dim, generator=g))
    return torch.stack(rows)[None]


class CrossBlock(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.q, self.kv, self.out = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x, context):
        k, v = self.kv(context).chunk(2, dim=-1)
        x = x + self.out(F.scaled_dot_product_attention(self.q(x), k, v))
        return x + self.mlp(x)


class Diffusion(nn.Module):
    def __init__(self, depth=2, dim=32):
        super().__init__()
        self.blocks = nn.ModuleList(CrossBlock(dim) for _ in range(depth))

    def forward(self, latent, context, sigma):
        x = latent / (1 + sigma)
        for block in self.blocks:
            x = block(x, context)
        return x


@torch.no_grad()
def main():
    torch.manual_seed(40)
    model = torch.compile(Diffusion().eval())
    for prompt in PROMPTS:
        context = encode(prompt)
        latent = torch.randn(1, 36, 32, generator=torch.Generator().manual_seed(1))
        for sigma in torch.linspace(2.0, 0.2, 4):
            latent = latent - 0.2 * model(latent, context, sigma)
        print(f"{prompt[:20]!r} {context.shape[1]} tokens: {latent.abs().mean():.5f}")


if __name__ == "__main__":
    main()
