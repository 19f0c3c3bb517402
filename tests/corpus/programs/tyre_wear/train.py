"""Tyre wear from telemetry."""

import logging
from functools import partial

import numpy as np
import torch
from settings import Settings
from telemetry import iterate, record
from wear_model import WearModel, objective

log = logging.getLogger("wear")


def warm(step, warmup):
    return min(1.0, (step + 1) / warmup)


def run(s: Settings):
    torch.manual_seed(5)
    rng = np.random.default_rng(9)
    columns = record(s.laps)
    model = WearModel()
    compiled = torch.compile(partial(objective, model), backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=s.optim.lr, momentum=s.optim.momentum)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, partial(warm, warmup=s.optim.warmup))
    step, history = 0, []
    for epoch in range(s.epochs):
        for batch in iterate(columns, s.batch, rng):
            tensors = [torch.from_numpy(column) for column in batch]
            aux = 0.5 if step % s.aux_every == 0 else 0.0
            loss, figures = compiled(*tensors, aux)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            history.append(figures)
            step += 1
        log.info("epoch %d: %.3f", epoch, history[-1][0].item())
    mean = torch.stack(history[-4:]).mean(0)
    print(f"loss {mean[0]:.3f} spread {mean[1]:.3f} lr {scheduler.get_last_lr()[0]:.4f}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    run(Settings())
