"""Trains the pair with a Lightning trainer, backwards compiled."""

import logging
import warnings

import torch
from lightning.pytorch import Trainer
from module import Gan
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset


def waves(count, length=12):
    phase = 6.28 * torch.rand(count, 1)
    return torch.sin(phase + torch.linspace(0, 6.28, length))


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.manual_seed(0)
    loader = DataLoader(TensorDataset(waves(32)), batch_size=8, shuffle=True)
    trainer = Trainer(
        max_epochs=3,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    with compiled_autograd._enable(torch.compile(backend="eager")):
        trainer.fit(Gan(), loader)


if __name__ == "__main__":
    main()
