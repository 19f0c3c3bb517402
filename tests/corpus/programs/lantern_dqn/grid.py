"""A grid in which a lantern is to be found."""

import torch


class LanternGrid:
    moves = torch.tensor([[0, 1], [1, 0], [0, -1], [-1, 0]])

    def __init__(self, side, num_envs, seed):
        self.side, self.num_envs = side, num_envs
        self.generator = torch.Generator().manual_seed(seed)
        self.at = self.place()
        self.lantern = self.place()

    def place(self):
        return torch.randint(0, self.side, (self.num_envs, 2), generator=self.generator)

    def observe(self):
        return torch.cat([self.at, self.lantern], dim=1).float() / self.side

    def step(self, actions):
        self.at = (self.at + self.moves[actions]).clamp(0, self.side - 1)
        found = (self.at == self.lantern).all(1)
        reward = found.float() - 0.01
        self.lantern = torch.where(found.unsqueeze(1), self.place(), self.lantern)
        return self.observe(), reward, found.float()
