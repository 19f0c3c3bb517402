"""Trains on mixed roasts."""

import logging
import warnings

import lightning
import torch
from mixing import Mixup
from task import RoastTask
from torch.utils.data import DataLoader, TensorDataset


def profiles(count=40, points=24, roasts=5):
    roast = torch.randint(roasts, (count,))
    time = torch.linspace(0, 1, points)
    rise = 1 - torch.exp(-(2.0 + roast[:, None]) * time)
    return TensorDataset(rise + 0.05 * torch.randn(count, points), roast)


def main():
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")
    lightning.seed_everything(0, verbose=False)
    loader = DataLoader(profiles(), batch_size=16, shuffle=True)
    trainer = lightning.Trainer(
        max_epochs=2,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=[Mixup()],
    )
    trainer.fit(RoastTask(), loader)
    print(f"loss {trainer.callback_metrics['loss'].item():.3f}")


if __name__ == "__main__":
    main()
