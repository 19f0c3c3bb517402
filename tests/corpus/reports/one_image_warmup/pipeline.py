import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.x_in = nn.Linear(dim, dim)
        self.text = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, text, t):
        h = torch.nn.functional.silu(self.x_in(x) + self.text(text)[:, None] + t[:, None, None])
        return self.out(h)


class ImagePipeline:
    def __init__(self, dim, steps):
        self.transformer = Denoiser(dim).eval()
        self.dim, self.steps = dim, steps

    def encode(self, prompt, n):
        g = torch.Generator().manual_seed(sum(map(ord, prompt)))
        return torch.randn(1, self.dim, generator=g).repeat(n, 1)

    @torch.no_grad()
    def generate(self, prompt, num_images, seed):
        g = torch.Generator().manual_seed(seed)
        x = torch.randn(num_images, 8, self.dim, generator=g)
        text = self.encode(prompt, num_images)
        for i in range(self.steps):
            t = torch.full((num_images,), 1 - i / self.steps)
            x = x - self.transformer(x, text, t) / self.steps
        return x
