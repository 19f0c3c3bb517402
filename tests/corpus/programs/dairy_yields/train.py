"""Forecast a herd's milk from feed, breed and weather."""

import logging

import torch
from herds import herd
from loop import Loop
from model import Forecaster
from torch._dynamo import compiled_autograd

SETTINGS = {"herds": 6, "epochs": 2, "lr": 0.02, "window": 7, "backend": "aot_eager"}


def main(settings):
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(8)
    model = Forecaster()
    optimizer = torch.optim.NAdam(model.parameters(), lr=settings["lr"])
    loop = Loop(model, optimizer, window=settings["window"])
    herds = [herd(seed) for seed in range(settings["herds"])]
    with compiled_autograd._enable(torch.compile(backend=settings["backend"])):
        for epoch in range(settings["epochs"]):
            print(f"epoch {epoch}: {loop.epoch(herds):.4f}")


if __name__ == "__main__":
    main(SETTINGS)
