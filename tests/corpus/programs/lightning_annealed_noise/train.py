"""Fits the autoencoder for a few epochs."""

import logging
import warnings

from datamodule import Table
from lightning.pytorch import Trainer, seed_everything
from module import Denoising


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("lightning").setLevel(logging.ERROR)
    seed_everything(0, verbose=False)
    trainer = Trainer(
        max_epochs=4,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Denoising(), Table(rows=27, batch_size=8))


if __name__ == "__main__":
    main()
