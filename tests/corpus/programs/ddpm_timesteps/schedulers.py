"""Ways to walk from noise to data, by name."""

import torch


class Scheduler:
    def __init__(self, timesteps, steps):
        self.kept = torch.linspace(0.999, 0.01, timesteps)
        self.timesteps = list(range(0, timesteps, timesteps // steps))[::-1]

    def __iter__(self):
        yield from zip(self.timesteps, [*self.timesteps[1:], 0], strict=True)


class Ddim(Scheduler):
    def step(self, x, noise, t, following):
        now, then = self.kept[t], self.kept[following]
        clean = (x - (1 - now).sqrt() * noise) / now.sqrt()
        return then.sqrt() * clean + (1 - then).sqrt() * noise


class Ancestral(Ddim):
    def step(self, x, noise, t, following):
        x = super().step(x, noise, t, following)
        return x + 0.1 * (1 - self.kept[following]).sqrt() * torch.randn_like(x)


SCHEDULERS = {"ddim": Ddim, "ancestral": Ancestral}
