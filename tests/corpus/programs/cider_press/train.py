"""One compiled function for forward, loss and update."""

import functools
import itertools

import torch
from meter import Meter
from press import stream
from torch import nn
from torch.nn.functional import mse_loss

GATHER, LOG_EVERY = 4, 5


class Juice(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.enter, self.leave = nn.Linear(6, width), nn.Linear(width, 1)

    def forward(self, sensors):
        return self.leave(nn.functional.silu(self.enter(sensors))).squeeze(-1)


def forward_loss(model, meter, batch, step, last):
    sensors, juice = batch
    guess = model(sensors)
    loss = mse_loss(guess, juice)
    if step % LOG_EVERY == 0:
        meter.add(loss=loss, bias=(guess - juice).mean())
    if last:
        loss = loss + 1e-3 * sum(p.square().sum() for p in model.parameters())
    return loss / GATHER


def main(steps=20):
    torch.manual_seed(13)
    model, meter = Juice(), Meter(("loss", "bias"))
    measure = torch.compile(functools.partial(forward_loss, model, meter), backend="eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step, batch in enumerate(itertools.islice(stream(), steps), start=2):
        last = step % GATHER == 1
        loss = measure(batch, step, last)
        loss.backward()
        if last:
            optimizer.step()
            optimizer.zero_grad()
    print(meter.report())


if __name__ == "__main__":
    main()
