"""A regression that is watched."""

from collections import deque

import torch
from beacons import minibatches, observations
from probes import GradientProbe
from torch import nn

CONFIG = {
    "seed": 33,
    "width": 16,
    "batch": 20,
    "epochs": 3,
    "lr": 0.01,
    "probe_every": 4,
    "smooth": 5,
}


def build(width):
    return nn.Sequential(
        nn.Linear(5, width),
        nn.SiLU(),
        nn.Linear(width, width),
        nn.SiLU(),
        nn.Linear(width, 1),
    )


def train(config):
    torch.manual_seed(config["seed"])
    generator = torch.Generator().manual_seed(config["seed"])
    model = build(config["width"])
    probe = GradientProbe(model, config["probe_every"])
    optimizer = torch.optim.NAdam(model.parameters(), lr=config["lr"])
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    data, recent, step = observations(100), deque(maxlen=config["smooth"]), 0
    for epoch in range(config["epochs"]):
        for weather, seen in minibatches(data, config["batch"], generator):
            loss = nn.functional.mse_loss(model(weather), seen)
            optimizer.zero_grad()
            probe.before_backward(step)
            loss.backward()
            probe.after_backward(step)
            optimizer.step()
            recent.append(loss.item())
            step += 1
        plateau.step(sum(recent) / len(recent))
        print(f"epoch {epoch}: {sum(recent) / len(recent):.4f}")
    return model


if __name__ == "__main__":
    train(CONFIG)
