"""Trainer with a UI thread: settings are made at start-up, the training itself runs in a worker."""
import queue
import threading

import torch
import torch.nn as nn

torch._dynamo.config.recompile_limit = 64


@torch.compile(backend="eager", dynamic=False)
def sign_update(p, grad, momentum, lr):
    momentum.lerp_(grad, 0.1)
    p.sub_(lr * (torch.sign(momentum) + 0.01 * p))


class Lion:
    def __init__(self, params, lr):
        self.params = list(params)
        self.lr = torch.tensor(lr)
        self.momentum = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def step(self):
        for p, m in zip(self.params, self.momentum):
            sign_update(p, p.grad, m, self.lr)
            p.grad = None


def pyramid(widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.GELU()]
    return nn.Sequential(*layers[:-1])


class TrainingThread(threading.Thread):
    def __init__(self, progress, steps):
        super().__init__(name="training", daemon=True)
        self.progress, self.steps = progress, steps

    def run(self):
        torch.manual_seed(0)
        model = pyramid([4, 6, 8, 10, 12, 14, 3])
        opt = Lion(model.parameters(), lr=0.01)
        x = torch.randn(16, 4)
        y = torch.stack([x[:, 0] * x[:, 1], x[:, 2], x[:, 3] ** 2], 1)
        for _ in range(self.steps):
            loss = (model(x) - y).pow(2).mean()
            loss.backward()
            opt.step()
            self.progress.put(round(loss.item(), 5))
        self.progress.put(None)


def main():
    progress = queue.Queue()
    worker = TrainingThread(progress, steps=4)
    worker.start()
    losses = list(iter(progress.get, None))
    worker.join()
    print("losses", losses)


if __name__ == "__main__":
    main()
