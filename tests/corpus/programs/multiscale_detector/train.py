"""Trains the detector at several scales."""

import torch
from dataset import MultiScale, Objects
from detector import Detector
from torch.nn import functional
from torch.utils.data import DataLoader

CONFIG = {
    "seed": 3,
    "data": {"batch_size": 8, "scales": [16, 24, 32, 40, 48]},
    "compile": {"backend": "eager", "dynamic": False, "fullgraph": True},
    "optimizer": {"lr": 0.02, "momentum": 0.9, "nesterov": True},
    "epochs": 2,
}


def main(config):
    torch.manual_seed(config["seed"])
    loader = DataLoader(
        Objects(),
        batch_size=config["data"]["batch_size"],
        shuffle=True,
        collate_fn=MultiScale(config["data"]["scales"]),
    )
    model = Detector()
    detect = torch.compile(model, **config["compile"])
    optimizer = torch.optim.SGD(model.parameters(), **config["optimizer"])
    for _ in range(config["epochs"]):
        for images, centers in loader:
            loss = functional.mse_loss(detect(images), centers)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main(CONFIG)
