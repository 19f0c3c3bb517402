"""Manual optimization of both networks."""

import torch
from lightning.pytorch import LightningModule
from networks import Critic, Generator
from torch.nn import functional


class Gan(LightningModule):
    def __init__(self, latent=4):
        super().__init__()
        self.automatic_optimization = False
        self.latent = latent
        self.generator, self.critic = Generator(latent), Critic()

    def configure_optimizers(self):
        g = torch.optim.Adam(self.generator.parameters(), lr=1e-3)
        c = torch.optim.Adam(self.critic.parameters(), lr=1e-3)
        return g, c

    def judged(self, x, target):
        logits = self.critic(x)
        return functional.binary_cross_entropy_with_logits(logits, torch.full_like(logits, target))

    def training_step(self, batch, index):
        (real,) = batch
        g, c = self.optimizers()
        z = torch.randn(len(real), self.latent)

        self.toggle_optimizer(g)
        g.zero_grad()
        self.manual_backward(self.judged(self.generator(z), 1.0))
        g.step()
        self.untoggle_optimizer(g)

        self.toggle_optimizer(c)
        c.zero_grad()
        fake = self.judged(self.generator(z).detach(), 0.0)
        smooth = 1.0 - 0.1 / (1 + self.current_epoch)
        self.manual_backward(0.5 * (self.judged(real, smooth) + fake))
        c.step()
        self.untoggle_optimizer(c)
