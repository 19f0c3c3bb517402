"""Learns to fill in the missing plaster of a mural."""

import random

import torch
from averaged import Averaged
from denoise import Denoiser, Schedule


def tiles(batch=6, side=8):
    while True:
        at = torch.linspace(0, 3, side)
        slope = torch.randn(batch, 1, 1, 1)
        yield torch.sin(at[:, None] + slope * at[None])


@torch.no_grad()
def evaluate(model, clean, schedule):
    time = torch.full((len(clean),), 0.5)
    noisy = schedule.noisy(clean, time)
    return (model(noisy, time, torch.zeros_like(clean)) - clean).square().mean().item()


def bounded(grad):
    return grad.clamp(-1.0, 1.0)


def main(steps=14):
    random.seed(0)
    torch.manual_seed(0)
    model = Denoiser()
    slow = Averaged(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3)
    schedule = Schedule()
    for step, clean in zip(range(steps), tiles(), strict=False):
        schedule.shift = 1.0 - 0.02 * step
        time = torch.rand(len(clean))
        told = model.self_conditioned(schedule.noisy(clean, time), time)
        handle = told.register_hook(lambda grad: bounded(grad))
        loss = (told - clean).square().mean() * (1.0 + 1.0 / (1 + step))
        optimizer.zero_grad()
        loss.backward()
        handle.remove()
        optimizer.step()
        slow.update(model)
        if step % 5 == 4:
            # One tile less, in evaluation mode: neither is part of any backward.
            model.eval()
            print(f"{step}: {evaluate(slow.model, clean[1:], schedule):.3f}")
            model.train()


if __name__ == "__main__":
    main()
