"""A progressively growing GAN of tiles."""

import itertools

import torch
from networks import Discriminator, Generator
from schedule import STAGES
from tiles import Tiles
from torch.nn import functional as F
from torch.utils.data import DataLoader

LATENT = 8
NOISE = 0.1  # of the images that the critic sees, at first


def set_requires_grad(net, flag):
    for p in net.parameters():
        p.requires_grad_(flag)


def critic_step(G, D, opt, real, stage, alpha, sigma):
    z = torch.randn(len(real), LATENT)
    with torch.no_grad():
        fake = G(z, stage.depth, alpha)
    real = real + sigma * torch.randn_like(real)
    fake = fake + sigma * torch.randn_like(fake)
    on_real, on_fake = D(torch.cat([real, fake]), stage.depth, alpha).chunk(2)
    loss = F.relu(1 - on_real).mean() + F.relu(1 + on_fake).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def generator_step(G, D, opt, batch_size, stage, alpha):
    set_requires_grad(D, False)
    z = torch.randn(batch_size, LATENT)
    loss = -D(G(z, stage.depth, alpha), stage.depth, alpha).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    set_requires_grad(D, True)
    return loss.item()


@torch.no_grad()
def update_average(average, model, decay=0.9):
    for a, p in zip(average.parameters(), model.parameters(), strict=True):
        a.lerp_(p, 1 - decay)


def main():
    torch.manual_seed(12)
    G, D, G_average = Generator(LATENT), Discriminator(), Generator(LATENT)
    G_average.load_state_dict(G.state_dict())
    opt_g = torch.optim.Adam(G.parameters(), lr=2e-3, betas=(0.0, 0.99))
    opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.0, 0.99))
    loader = DataLoader(Tiles(), batch_size=8, shuffle=True, drop_last=True)
    total = sum(stage.steps for stage in STAGES)
    seen = 0
    for stage in STAGES:
        batches = itertools.islice(itertools.cycle(loader), stage.steps)
        for step, images in enumerate(batches):
            alpha = stage.alpha(step)
            sigma = NOISE * (1 - seen / total)
            real = F.adaptive_avg_pool2d(images, stage.resolution)
            d_loss = critic_step(G, D, opt_d, real, stage, alpha, sigma)
            g_loss = generator_step(G, D, opt_g, len(real), stage, alpha)
            update_average(G_average, G)
            seen += 1
            if step % 5 == 0:
                print(f"{stage.resolution:3d} {alpha:.2f} D {d_loss:.3f} G {g_loss:.3f}")
    with torch.no_grad():
        print(G_average(torch.randn(4, LATENT), STAGES[-1].depth, 1.0).std().item())


if __name__ == "__main__":
    main()
