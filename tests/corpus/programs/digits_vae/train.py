"""Train the autoencoder with Lightning; the KL term is annealed over the epochs."""

import logging

import lightning as L
import torch
from lit import LitVAE
from torch.utils.data import DataLoader, TensorDataset

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def main():
    L.seed_everything(0, verbose=False)
    digits = (torch.rand(64, 64) > 0.7).float()
    loader = DataLoader(TensorDataset(digits), batch_size=16, shuffle=True, drop_last=True)
    trainer = L.Trainer(
        max_epochs=4,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(LitVAE(), loader)
    print({name: round(float(value), 2) for name, value in trainer.callback_metrics.items()})


if __name__ == "__main__":
    main()
