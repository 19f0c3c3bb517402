"""Fits a model to what is known so far."""

import torch
from torch.nn.functional import mse_loss


class Fitter:
    """Keeps the optimizer between rounds, and how strongly the heads were driven."""

    def __init__(self, model, batch=8, epochs=2):
        self.model, self.batch, self.epochs = model, batch, epochs
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
        self.drive = torch.zeros(())

    def note(self, grad):
        self.drive = grad.abs().mean()

    def fit(self, x, y):
        self.model.heads.weight.register_hook(self.note)
        for _ in range(self.epochs):
            for batch in torch.randperm(len(x)).split(self.batch):
                loss = mse_loss(self.model(x[batch]), y[batch])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
