"""Learns what cicadas sound like, without labels."""

import torch
from learner import Learner

STEPS = 12


def chorus(count=8, samples=512):
    time = torch.arange(samples) / samples
    pitch = 40 + 120 * torch.rand(count, 1)
    return torch.sin(6.28 * pitch * time) * (1 + torch.sin(6.28 * 9 * time)) / 2


def main():
    torch.manual_seed(0)
    learner = Learner()
    model = torch.compile(learner, backend="eager")
    trained = [*learner.online.parameters(), *learner.predict.parameters()]
    optimizer = torch.optim.Adam(trained, lr=5e-3)
    for step in range(STEPS):
        clip = chorus()
        loss = model(clip)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
