"""Carts with poles, all of them at once, in torch."""

import torch


class VectorCarts:
    """`num_envs` carts; a cart that falls starts again at once."""

    observation_size, actions = 4, 2

    def __init__(self, num_envs, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.num_envs = num_envs
        self.state = torch.zeros(num_envs, 4)

    def _fresh(self):
        return 0.1 * torch.rand(self.num_envs, 4, generator=self.generator) - 0.05

    def reset(self):
        self.state = self._fresh()
        return self.state

    def step(self, action):
        x, v, angle, spin = self.state.unbind(1)
        push = (action * 2 - 1) * 1.0
        spin = spin + 0.1 * (torch.sin(angle) * 9.8 - push)
        v = v + 0.1 * push
        self.state = torch.stack([x + 0.1 * v, v, angle + 0.1 * spin, spin], dim=1)
        fell = self.state[:, 2].abs() > 0.4
        self.state = torch.where(fell.unsqueeze(1), self._fresh(), self.state)
        return self.state, 1.0 - fell.float(), fell.float()
