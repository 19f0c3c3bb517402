import math

import torch
from torch.nn.functional import mse_loss


class Recorder:
    def __init__(self, every):
        self.every = every
        self.rows = []

    def __call__(self, step, loss, tables):
        if step % self.every == 0:
            norms = [table.weight.grad.norm().item() for table in tables]
            self.rows.append((step, loss.item(), *norms))


def fit(model, loader, optimizer, epochs, decay, recorder):
    step = 0
    for _ in range(epochs):
        model.train()
        for batch in loader:
            score, embedded = model(batch["user"], batch["item"])
            loss = mse_loss(score, batch["rating"])
            loss = loss + decay * sum(e.square().mean() for e in embedded)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            recorder(step, loss, (model.user, model.item))
            step += 1


@torch.no_grad()
def rmse(model, loader):
    model.eval()
    errors = [
        mse_loss(model(batch["user"], batch["item"])[0], batch["rating"]).item() for batch in loader
    ]
    return math.sqrt(sum(errors) / len(errors))
