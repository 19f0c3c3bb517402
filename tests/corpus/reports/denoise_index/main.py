"""Samples a toy point cloud with a compiled diffusion step."""
import torch
from torch import nn

STEPS = 14


class Denoiser(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, points, level):
        level = torch.ones(points.shape[0], 1) * level
        return self.net(torch.cat([points, level], dim=1))


class Sampler:
    def __init__(self, model, steps):
        self.model = model
        self.betas = torch.linspace(1e-3, 0.2, steps)
        self.alphas = 1 - self.betas
        self.bars = torch.cumprod(self.alphas, dim=0)

    def update(self, points, i, noise):
        eps = self.model(points, i / STEPS)
        mean = (points - self.betas[i] / (1 - self.bars[i]).sqrt() * eps) / self.alphas[i].sqrt()
        return mean + self.betas[i].sqrt() * noise

    @torch.no_grad()
    def sample(self, count, generator):
        update = torch.compile(self.update, backend="eager", dynamic=False)
        points = torch.randn(count, 2, generator=generator)
        for i in reversed(range(STEPS)):
            noise = torch.randn(count, 2, generator=generator) if i else torch.zeros(count, 2)
            points = update(points, i, noise)
        return points


def main():
    torch.manual_seed(3)
    generator = torch.Generator().manual_seed(8)
    sampler = Sampler(Denoiser().eval(), STEPS)
    for request in range(2):
        points = sampler.sample(50, generator)
        print(f"request {request}: mean {points.mean():.4f} spread {points.std():.4f}")


if __name__ == "__main__":
    main()
