"""Predicts the extract of a mash; gradients are gathered over two batches."""

import copy

import torch
from brewhouse import Mashes
from callbacks import Log, Reweigh, Sharpen
from regressor import Regressor


class Fit:
    def __init__(self, model, callbacks, gather=2, lr=0.02):
        self.model, self.callbacks, self.gather = model, callbacks, gather
        self.average = copy.deepcopy(model).requires_grad_(False)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.smooth_weight = 0.0
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)
            parameter.register_hook(self._bounded)

    @staticmethod
    def _bounded(grad):
        return grad.clamp(-1.0, 1.0)

    def gradient_norm(self):
        return torch.stack([p.grad.norm() for p in self.model.parameters()]).norm().item()

    def call(self, name, *values):
        for callback in self.callbacks:
            getattr(callback, name)(self, *values)

    @torch.no_grad()
    def follow(self, decay):
        for slow, fast in zip(self.average.parameters(), self.model.parameters(), strict=True):
            slow.mul_(decay).add_(fast, alpha=1 - decay)

    @torch.no_grad()
    def validate(self, mashes):
        self.average.eval()
        gaps = [(self.average(t, seen)[0] - y).abs().mean() for t, seen, y in mashes]
        print(f"    validation {torch.stack(gaps).mean():.4f}")

    def run(self, train, valid, epochs):
        step = 0
        for epoch in range(epochs):
            self.call("on_epoch", epoch)
            self.model.train()
            for temperature, observed, extract in train:
                guess, hidden = self.model(temperature, observed)
                loss = (guess - extract).square().mean()
                rough = (hidden[:, 1:] - hidden[:, :-1]).abs().mean()
                whole = loss + self.smooth_weight * rough
                (whole / self.gather).backward(retain_graph=step % 3 == 0)
                step += 1
                self.call("on_step", step, loss.detach())
                if step % self.gather == 0:
                    self.optimizer.step()
                    self.optimizer.zero_grad(set_to_none=False)
                    self.follow(min(0.9, step / (step + 10)))
            self.validate(valid)


if __name__ == "__main__":
    torch.manual_seed(11)
    callbacks = [Sharpen(0.1), Reweigh([0.0, 0.01, 0.02]), Log(4)]
    Fit(Regressor(), callbacks).run(Mashes(7, seed=1), Mashes(2, seed=2), epochs=3)
