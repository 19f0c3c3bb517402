"""Classifies points with a deep equilibrium model."""

import torch
from layers import Cell, Equilibrium
from torch import nn
from torch._dynamo import compiled_autograd
from torch.nn import functional

SETTINGS = {"width": 10, "classes": 3, "rows": 12, "steps": 4, "lr": 0.02}


def build(settings):
    width = settings["width"]
    return nn.Sequential(
        nn.Linear(4, width),
        Equilibrium(Cell(width)),
        nn.Linear(width, settings["classes"]),
    )


def main():
    torch.manual_seed(0)
    model = build(SETTINGS)
    optimizer = torch.optim.Adam(model.parameters(), lr=SETTINGS["lr"])
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(SETTINGS["steps"]):
            x = torch.randn(SETTINGS["rows"], 4)
            labels = x[:, :3].argmax(1)
            loss = functional.cross_entropy(model(x), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
