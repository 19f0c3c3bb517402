import torch
import torch.nn.functional as F
from nets import Discriminator, Generator


class Trainer:
    def __init__(self, latent):
        self.latent = latent
        self.gen, self.disc = Generator(latent), Discriminator()
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=2e-3, betas=(0.5, 0.99))
        self.opt_d = torch.optim.Adam(self.disc.parameters(), lr=2e-3, betas=(0.5, 0.99))
        self.fast_gen = torch.compile(self.gen, backend="aot_eager")
        self.fast_disc = torch.compile(self.disc, backend="aot_eager")

    def step(self, seed):
        g = torch.Generator().manual_seed(seed)
        real = torch.rand(6, 3, 8, 8, generator=g)
        fake = self.fast_gen(torch.randn(6, self.latent, generator=g))
        d_loss = F.softplus(-self.fast_disc(real)).mean() + F.softplus(self.fast_disc(fake.detach())).mean()
        self.opt_d.zero_grad()
        d_loss.backward()
        self.opt_d.step()
        g_loss = F.softplus(-self.fast_disc(fake)).mean()
        self.opt_g.zero_grad()
        g_loss.backward()
        self.opt_g.step()
        return d_loss.item(), g_loss.item()
