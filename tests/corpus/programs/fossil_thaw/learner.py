"""A learner in the way of fastai: groups of layers, from the input to the head."""

import torch
from torch import nn


class Learner:
    def __init__(self, model, dls, loss_func, lr=4e-3, decay=0.5):
        self.model, self.dls, self.loss_func = model, dls, loss_func
        self.callbacks = []
        groups = model.layer_groups()
        self.opt = torch.optim.Adam(
            [
                {"params": list(group.parameters()), "lr": lr * decay ** (len(groups) - 1 - i)}
                for i, group in enumerate(groups)
            ]
        )

    def freeze_to(self, n):
        """Trains the groups from `n` on; a negative one counts from the head."""
        groups = self.model.layer_groups()
        n = n if n >= 0 else len(groups) + n
        for i, group in enumerate(groups):
            for parameter in group.parameters():
                parameter.requires_grad_(i >= n)

    def unfreeze(self):
        self.freeze_to(0)

    def one_batch(self, xb, yb):
        loss = self.loss_func(self.model(xb), yb)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        right = total = 0
        for xb, yb in self.dls[1]:
            right += (self.model(xb).argmax(-1) == yb).sum().item()
            total += len(yb)
        self.model.train()
        return right / total

    def fit(self, epochs):
        for _ in range(epochs):
            losses = [self.one_batch(xb, yb) for xb, yb in self.dls[0]]
            print(f"loss {sum(losses) / len(losses):.4f} accuracy {self.validate():.3f}")
