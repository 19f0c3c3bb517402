import torch


class Euler:
    def __init__(self, train_steps=1000):
        self.train_steps = train_steps
        self.timesteps = []

    def set_timesteps(self, count):
        spaced = torch.linspace(self.train_steps - 1, 0, count)
        self.timesteps = spaced.round().int().tolist()

    def step(self, noise, sample):
        return sample - 0.1 * noise
