import torch
from callbacks import make
from config import CONFIG, merged
from datamodule import BasketDataModule
from model import build, parameter_norm
from trainer import Trainer

EXPERIMENT = {"model": {"dropout": 0.05}, "optim": {"lr": 5e-3}}


def run(config):
    torch.manual_seed(config["seed"])
    data = BasketDataModule(**config["data"])
    module = build(config["data"]["items"], config["model"])
    optim = dict(config["optim"])
    optimizer = getattr(torch.optim, optim.pop("name"))(module.parameters(), **optim)
    trainer = Trainer(module, make(config["callbacks"]), **config["trainer"])
    trainer.fit(data, optimizer)
    print(f"norm {parameter_norm(module):.3f}")


if __name__ == "__main__":
    run(merged(CONFIG, EXPERIMENT))
