import torch
import torch.nn.functional as F
from modules import Codec, WaveDiscriminator
from monitor import LatentMonitor


def hinge_d(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


class Solver:
    def __init__(self, cfg):
        self.cfg = cfg
        self.codec = Codec(cfg)
        self.disc = WaveDiscriminator()
        self.opt_g = torch.optim.AdamW(self.codec.parameters(), lr=cfg.lr, betas=(0.8, 0.99))
        self.opt_d = torch.optim.AdamW(self.disc.parameters(), lr=cfg.lr, betas=(0.8, 0.99))
        self.monitor = LatentMonitor()
        self.step = 0

    def train_discriminator(self, real, fake):
        self.opt_d.zero_grad()
        loss = hinge_d(self.disc(real), self.disc(fake.detach()))
        loss.backward()
        self.opt_d.step()
        return loss.detach()

    def train_codec(self, real, fake, commit):
        self.opt_g.zero_grad()
        loss = F.l1_loss(fake, real) + self.cfg.lambda_commit * commit
        if self.step >= self.cfg.disc_start:
            loss = loss - self.cfg.lambda_adv * self.disc(fake).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.codec.parameters(), 1.0)
        self.opt_g.step()
        return loss.detach()

    def run_step(self, wave):
        fake, latent, commit = self.codec(wave)
        self.monitor.watch(latent)
        loss_d = self.train_discriminator(wave, fake)
        loss_g = self.train_codec(wave, fake, commit)
        self.step += 1
        return loss_g, loss_d
