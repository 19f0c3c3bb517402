"""A Lightning module whose network is compiled; validation follows each epoch."""

import logging
import warnings

import torch
from lightning.pytorch import LightningModule, Trainer
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class Module(LightningModule):
    def __init__(self):
        super().__init__()
        net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
        self.net = torch.compile(net, backend="eager")

    def training_step(self, batch, _):
        x, labels = batch
        return functional.cross_entropy(self.net(x), labels)

    def validation_step(self, batch, _):
        x, labels = batch
        self.net(x).argmax(1).eq(labels).float().mean()

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def loader(count, **options):
    data = TensorDataset(torch.randn(count, 6), torch.randint(0, 3, (count,)))
    return DataLoader(data, batch_size=8, **options)


def main():
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.manual_seed(0)
    trainer = Trainer(
        max_epochs=2,
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    training = loader(28, shuffle=True)
    trainer.fit(Module(), training, loader(16))


if __name__ == "__main__":
    main()
