"""Trains face embeddings with Lightning."""

import logging
import warnings

import torch
from lightning.pytorch import Trainer
from module import FaceModule, MarginWarmup
from torch.utils.data import DataLoader, TensorDataset


def faces(count, people=5, pixels=24):
    who = torch.arange(count) % people
    looks = torch.randn(people, pixels)
    return TensorDataset(looks[who] + 0.3 * torch.randn(count, pixels), who)


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.manual_seed(0)
    trainer = Trainer(
        max_epochs=4,
        accelerator="cpu",
        devices=1,
        logger=False,
        callbacks=[MarginWarmup([0.1, 0.2, 0.35, 0.5])],
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(FaceModule(), DataLoader(faces(32), batch_size=8, shuffle=True))


if __name__ == "__main__":
    main()
