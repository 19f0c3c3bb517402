"""What is measured between updates."""

import torch


class Evaluator:
    """The mean return of the greedy policy, every few updates."""

    def __init__(self, every=3, rows=16):
        self.every, self.rows = every, rows
        self.history = []

    @torch.no_grad()
    def __call__(self, policy, update):
        if (update + 1) % self.every:
            return
        policy.eval()
        observations = torch.randn(self.rows, 5)
        greedy = policy(observations)[0].argmax(-1)
        self.history.append((greedy == observations[:, :3].argmax(-1)).float().mean())


class Saliency:
    """Which observations the loss depends on, at some updates."""

    def __init__(self, every=4):
        self.every = every
        self.maps = {}

    def wants(self, update):
        return update % self.every == 0

    def store(self, update, observations):
        if observations.grad is not None:
            self.maps[update] = observations.grad.abs().mean(0)
