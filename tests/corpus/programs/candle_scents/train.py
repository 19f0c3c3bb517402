"""Learns scents of candles; a scent may tell a few bits for nothing, fewer of them later."""

import logging
import sys

import torch
from blend import Blend
from schedules import Schedule
from torch import nn
from torch._dynamo import compiled_autograd

OILS = 10
log = logging.getLogger("candles")


class Recorder:
    """Writes the gradient of what is hidden to the log, now and then."""

    def __init__(self, every):
        self.every, self.hidden = every, None

    def before(self, step, hidden):
        self.hidden = hidden if step % self.every == 0 else None
        if self.hidden is not None:
            self.hidden.retain_grad()

    def after(self, step):
        if self.hidden is not None:
            log.info("step %d: %.2e", step, self.hidden.grad.norm())


def main(steps=12):
    torch.manual_seed(33)
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
    model, recorder = Blend(OILS), Recorder(every=5)
    free = Schedule("cosine", start=0.5, end=0.05, steps=4)
    weight = Schedule("linear", start=0.1, end=1.0, steps=steps)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step in range(steps):
            scent = torch.randn(8, OILS).softmax(-1)
            guess, hidden, information = model(scent)
            recorder.before(step, hidden)
            paid = information.mean(0).clamp(min=free(step)).sum()
            loss = nn.functional.mse_loss(guess, scent) + weight(step) * paid
            optimizer.zero_grad()
            loss.backward()
            recorder.after(step)
            optimizer.step()


if __name__ == "__main__":
    main()
