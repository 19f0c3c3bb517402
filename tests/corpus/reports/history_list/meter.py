import torch


class Meter:
    def __init__(self):
        self.losses = []
        self.errors = []

    def update(self, loss, error):
        self.losses.append(loss)
        self.errors.append(error)

    def mean(self):
        return torch.stack(self.losses).mean().item()

    def summary(self):
        return f"loss {self.losses[-1].item():.4f} mae {self.errors[-1].item():.4f}"
