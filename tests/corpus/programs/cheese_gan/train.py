"""A GAN; the critic learns three times for each time that the generator does."""

import torch
from data import loader
from nets import Critic, Generator, freeze
from torch.nn.functional import relu


class Duel:
    def __init__(self, bands=16, latent=6, ratio=3):
        self.generator, self.critic = Generator(latent, bands), Critic(bands)
        self.ratio, self.turn = ratio, 0
        self.g = torch.compile(self.generator, backend="aot_eager")
        self.c = torch.compile(self.critic, backend="aot_eager")
        self.g_opt = torch.optim.Adam(self.generator.parameters(), lr=2e-3, betas=(0.5, 0.9))
        self.c_opt = torch.optim.Adam(self.critic.parameters(), lr=4e-3, betas=(0.5, 0.9))
        self.log = {"critic": 0.0, "generator": 0.0}

    def noise(self, like):
        return torch.randn(len(like), self.generator.latent)

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.generator(self.noise(real))
        loss = relu(1 - self.c(real)).mean() + relu(1 + self.c(fake)).mean()
        self.c_opt.zero_grad()
        loss.backward()
        self.c_opt.step()
        self.log["critic"] = loss.item()

    def generator_step(self, real):
        freeze(self.critic)
        loss = relu(1 + self.c(real) - self.c(self.g(self.noise(real)))).mean()
        self.g_opt.zero_grad()
        loss.backward()
        self.g_opt.step()
        freeze(self.critic, on=False)
        self.log["generator"] = loss.item()

    def __call__(self, real):
        self.turn += 1
        self.critic_step(real)
        if self.turn % self.ratio == 0:
            self.generator_step(real)


def main(epochs=3):
    torch.manual_seed(12)
    duel = Duel()
    for epoch in range(epochs):
        for real in loader(50, 16, batch=8):
            duel(real)
        print(epoch, {name: round(value, 3) for name, value in duel.log.items()})


if __name__ == "__main__":
    main()
