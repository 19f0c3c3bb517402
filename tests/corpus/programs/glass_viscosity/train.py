"""Fits viscosities of glass melts, measured and simulated."""

import torch
from arrhenius import Arrhenius, misfit
from melts import Alternating


def train(steps=9):
    torch.manual_seed(0)
    model = Arrhenius()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=1)
    for batch in Alternating(steps):
        target = batch.pop("log_viscosity")

        def closure(batch=batch, target=target):
            optimizer.zero_grad()
            loss = misfit(model(**batch), target)
            loss.backward()
            return loss

        optimizer.step(closure)


if __name__ == "__main__":
    train()
