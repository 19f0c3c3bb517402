"""The autoencoder as a LightningModule."""

import lightning as L
import torch
from vae import VAE


class LitVAE(L.LightningModule):
    def __init__(self, lr=1e-3, anneal_epochs=4, beta_max=1.0):
        super().__init__()
        self.save_hyperparameters()
        self.vae = VAE()
        self.compiled_vae = torch.compile(self.vae, backend="eager")

    def on_train_epoch_start(self):
        progress = min(1.0, self.current_epoch / self.hparams.anneal_epochs)
        self.vae.beta = self.hparams.beta_max * progress

    def training_step(self, batch, batch_idx):
        (x,) = batch
        loss, bce, kld = self.compiled_vae(x)
        self.log_dict({"loss": loss.detach(), "bce": bce.detach(), "kld": kld.detach()})
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.vae.parameters(), lr=self.hparams.lr)
