"""The Lightning side of it."""

import torch
from lightning.pytorch import Callback, LightningModule
from net import FaceNet
from torch.nn import functional


class MarginWarmup(Callback):
    """Widens the margin epoch by epoch."""

    def __init__(self, margins):
        self.margins = margins

    def on_train_epoch_start(self, trainer, module):
        place = min(trainer.current_epoch, len(self.margins) - 1)
        module.net.head.margin = self.margins[place]


class FaceModule(LightningModule):
    def __init__(self, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.net = FaceNet()
        self.run = torch.compile(self.net, backend="eager")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.net.parameters(), lr=self.hparams.lr)

    def training_step(self, batch, index):
        faces, people = batch
        return functional.cross_entropy(self.run(faces, people), people)
