"""What is trained."""

import lightning
import torch
from network import RoastNetwork
from torch.nn import functional


class RoastTask(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = RoastNetwork()
        self.compiled = torch.compile(self.network, backend="eager", dynamic=False)

    def training_step(self, batch, batch_idx):
        profiles, roasts = batch
        share = float(self.network.mixture.share)
        logits = self.compiled(profiles)
        own = functional.cross_entropy(logits, roasts)
        other = functional.cross_entropy(logits, roasts.roll(1, 0))
        loss = share * own + (1 - share) * other
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.network.parameters(), lr=5e-3)
