import warnings

import lightning
import torch
from gan import MosaicGAN
from lightning.pytorch.callbacks import Callback
from mosaics import MosaicData

warnings.filterwarnings("ignore", module="lightning")


class Preview(Callback):
    """What the average makes of the same latents, after each epoch."""

    def __init__(self, every=1):
        self.every = every

    def on_validation_epoch_end(self, trainer, pl_module):
        if trainer.sanity_checking or trainer.current_epoch % self.every:
            return
        with torch.no_grad():
            images = pl_module(pl_module.preview_z)
        print(f"preview: mean {images.mean():.3f}, contrast {images.std():.3f}")


def main():
    lightning.seed_everything(17, verbose=False)
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        callbacks=[Preview()],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(MosaicGAN(), MosaicData())


if __name__ == "__main__":
    main()
