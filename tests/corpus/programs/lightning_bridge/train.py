"""Fits the network with Lightning: small steps first, larger effective batches later."""

import logging
import warnings

import lightning
from callbacks import FrozenStatistics, Losses
from lightning.pytorch.callbacks import GradientAccumulationScheduler
from sensors import StrainNet, recordings

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def main():
    lightning.seed_everything(1, verbose=False)
    losses = Losses()
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        callbacks=[
            GradientAccumulationScheduler({0: 1, 1: 3}),
            FrozenStatistics(since=1),
            losses,
        ],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(StrainNet(), recordings())
    print(f"{losses.all[0]:.2f} → {losses.all[-1]:.2f}")


if __name__ == "__main__":
    main()
