"""Forecasts the harvest of vines; much is scheduled."""

from itertools import islice

import torch
from network import Harvest
from torch._dynamo import compiled_autograd
from vineyard import Rows, endless


class Schedule:
    """A value that goes from one number to another over `steps`."""

    def __init__(self, first, last, steps):
        self.first, self.last, self.steps = first, last, steps

    def __getitem__(self, step):
        done = min(1.0, step / self.steps)
        return self.first + (self.last - self.first) * done


def guarded(gradient):
    return torch.nan_to_num(gradient, nan=0.0).clamp(-5.0, 5.0)


def main(steps=14, size=6):
    torch.manual_seed(0)
    model = Harvest()
    hidden, sharp = Schedule(0.1, 0.5, steps), Schedule(1.0, 4.0, steps)
    penalty = Schedule(0.0, 0.01, steps)
    handle = model.query.register_hook(guarded)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for step, batch in enumerate(islice(endless(Rows(), size), steps)):
            model.hide.probability = hidden[step]
            for group in optimizer.param_groups:
                group["lr"] = 0.1 / (1 + step)
            error = model(batch["season"], sharp[step]) - batch["harvest"]
            loss = error.square().mean() + penalty[step] * model.query.square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    handle.remove()


if __name__ == "__main__":
    main()
