"""Fits the denoiser, then lets snow fall."""

import itertools

import torch
from denoiser import Denoiser
from schedule import Karras, interval


def flakes(rows, size=12):
    shape = torch.randint(4, (rows,))
    angle = torch.atan2(
        *torch.meshgrid(torch.linspace(-1, 1, size), torch.linspace(-1, 1, size), indexing="ij")
    )
    return torch.cos((shape + 2)[:, None, None, None] * angle), shape


def fit(denoise, optimizer, schedule, steps):
    for _ in range(steps):
        clean, shape = flakes(8)
        sigma = schedule.draw(8)
        guess = denoise(clean + sigma * torch.randn_like(clean), sigma, shape, 1.0)
        loss = (schedule.weight(sigma) * (guess - clean) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@torch.no_grad()
def euler(denoise, schedule, shape, rungs=7):
    ladder = schedule.ladder(rungs)
    x = torch.randn(len(shape), 1, 12, 12) * ladder[0]
    for sigma, following in itertools.pairwise(ladder):
        level = torch.full((len(shape), 1, 1, 1), sigma)
        slope = (x - denoise(x, level, shape, interval(sigma))) / sigma
        x = x + (following - sigma) * slope
    return x


def main():
    torch.manual_seed(8)
    schedule = Karras()
    model = Denoiser(schedule)
    denoise = torch.compile(model, backend="eager")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    print("loss", round(fit(denoise, optimizer, schedule, 10), 3))
    for name, shape in {"stars": 1, "needles": 3}.items():
        picture = euler(denoise, schedule, torch.full((8,), shape))
        print(name, round(picture.abs().mean().item(), 3))


if __name__ == "__main__":
    main()
