"""Trains a classifier of tiles with mixup."""

import logging

import torch
from mixing import Mixup
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from trainer import Trainer

CONFIG = {"epochs": 1, "batch_size": 8, "lr": 0.05, "mixup_alpha": 0.4, "classes": 5}


def build_model(classes):
    return nn.Sequential(
        nn.Conv2d(3, 10, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(10 * 25, classes)
    )


def main(config):
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(1)
    data = TensorDataset(torch.randn(48, 3, 12, 12), torch.randint(0, config["classes"], (48,)))
    loader = DataLoader(data, batch_size=config["batch_size"], shuffle=True, drop_last=True)
    model = build_model(config["classes"])
    optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=0.9)
    trainer = Trainer(model, optimizer, Mixup(config["mixup_alpha"], config["classes"], seed=1))
    for epoch in range(config["epochs"]):
        trainer.train_one_epoch(loader, epoch)


if __name__ == "__main__":
    main(CONFIG)
