"""Emulate storms over longer and longer horizons."""

import emulator
import torch
from atmosphere import stream
from losses import objective
from schedule import Course


def update(params, moments, rate, decay=0.9):
    with torch.no_grad():
        for name, value in params.items():
            moments[name].mul_(decay).add_(value.grad, alpha=1 - decay)
            value.sub_(rate * moments[name].sign())
            value.grad.zero_()


def run(course, seed=0):
    torch.manual_seed(seed)
    params = emulator.init()
    moments = {name: torch.zeros_like(value) for name, value in params.items()}
    for value in params.values():
        value.grad = torch.zeros_like(value)
    batches = stream(batch=6, cells=20, steps=course.longest, seed=seed)
    history = []
    for step in range(course.steps):
        states = next(batches)
        horizon = course.horizon(step)
        guess = emulator.rollout(params, states[:, 0], horizon)
        truth = states[:, 1 : horizon + 1]
        loss = objective(guess, truth, course.exponent(step), course.spectral_weight(step))
        loss.backward()
        update(params, moments, course.rate(step))
        history.append(loss.detach())
    return params, torch.stack(history)


if __name__ == "__main__":
    _, history = run(Course())
    print(" ".join(f"{value:.4f}" for value in history[::4].tolist()))
