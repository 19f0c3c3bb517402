import copy
import random

import torch
from augment import Augment
from config import CFG
from nets import Critic, Generator
from sprites import sprites
from torch.nn.functional import softplus


class Game:
    def __init__(self, cfg):
        size, train = cfg["sprites"]["size"], cfg["train"]
        self.images = sprites(**cfg["sprites"])
        self.generator = Generator(size=size, **cfg["generator"])
        self.critic = Critic(size=size, **cfg["critic"])
        self.shadow = copy.deepcopy(self.generator).requires_grad_(False)
        self.augment = Augment(**cfg["augment"])
        options = {"lr": train["lr"], "betas": train["betas"]}
        self.opt_g = torch.optim.Adam(self.generator.parameters(), **options)
        self.opt_d = torch.optim.Adam(self.critic.parameters(), **options)
        self.latent, self.batch = cfg["generator"]["latent"], train["batch"]
        self.decay = train["ema"]

    def fake(self):
        return self.generator(torch.randn(self.batch, self.latent))

    def critic_step(self):
        rows = torch.randint(0, len(self.images), (self.batch,))
        real = self.critic(self.augment(self.images[rows]))
        made = self.critic(self.augment(self.fake().detach()))
        loss = softplus(-real).mean() + softplus(made).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def generator_step(self):
        self.critic.requires_grad_(False)
        loss = softplus(-self.critic(self.augment(self.fake()))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        self.critic.requires_grad_(True)
        return loss.item()

    @torch.no_grad()
    def average(self):
        for slow, fast in zip(self.shadow.parameters(), self.generator.parameters(), strict=True):
            slow.lerp_(fast, 1 - self.decay)


if __name__ == "__main__":
    torch.manual_seed(CFG["seed"])
    random.seed(CFG["seed"])
    game = Game(CFG)
    for step in range(CFG["train"]["steps"]):
        told = f"critic {game.critic_step():.3f} generator {game.generator_step():.3f}"
        game.average()
        print(step, told)
