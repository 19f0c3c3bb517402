"""A detector of lesions whose loss looks at hard images more and more."""

import torch
from lightning.pytorch import LightningModule
from torch import nn
from torch.nn import functional


class FocusedDetector(nn.Module):
    def __init__(self, width=20, calm_epochs=1, hardest=3):
        super().__init__()
        self.calm_epochs = calm_epochs
        self.hardest = hardest
        self.net = nn.Sequential(nn.Linear(width, 24), nn.SiLU(), nn.Linear(24, 1))

    def forward(self, images, ill, epoch):
        logits = self.net(images).squeeze(-1)
        losses = functional.binary_cross_entropy_with_logits(logits, ill, reduction="none")
        if epoch < self.calm_epochs:
            return losses.mean()
        surprise = 1 - torch.exp(-losses)
        for _ in range(min(epoch, self.hardest)):
            losses = losses * surprise
        return losses.mean()


class DetectorModule(LightningModule):
    def __init__(self, lr=1e-2):
        super().__init__()
        self.save_hyperparameters()
        self.detector = FocusedDetector()
        self.compiled = torch.compile(self.detector, backend="eager")

    def training_step(self, batch, index):
        images, ill = batch
        return self.compiled(images, ill, self.current_epoch)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.detector.parameters(), lr=self.hparams.lr)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        return [optimizer], [schedule]
