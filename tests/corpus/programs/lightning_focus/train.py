"""Trains the detector of lesions."""

import logging
import warnings

import torch
from lesions import Lesions
from lightning.pytorch import Trainer
from module import DetectorModule


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.manual_seed(0)
    trainer = Trainer(
        max_epochs=5,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(DetectorModule(), datamodule=Lesions())


if __name__ == "__main__":
    main()
