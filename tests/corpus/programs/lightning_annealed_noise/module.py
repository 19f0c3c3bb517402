"""A denoising autoencoder as a Lightning module."""

import torch
from lightning.pytorch import LightningModule
from torch import nn
from torch.nn import functional


class Denoising(LightningModule):
    def __init__(self, features=10, width=20, noise=0.5):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(features, width), nn.Tanh())
        self.decoder = nn.Linear(width, features)
        self.noise = noise
        self.reconstruct = torch.compile(self.reconstruct, backend="eager", dynamic=False)

    def reconstruct(self, x):
        noisy = x + self.noise * torch.randn_like(x)
        return self.decoder(self.encoder(noisy))

    def on_train_epoch_start(self):
        self.noise = self.hparams.noise * 0.7**self.current_epoch

    def training_step(self, batch, index):
        (x,) = batch
        return functional.mse_loss(self.reconstruct(x), x)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-3)
        return [optimizer], [torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)]
