"""Trains the towers in stages: heads, then items, then everything."""

from functools import partial

import torch
from config import Config
from model import Towers
from torch._dynamo import compiled_autograd


def freeze(model, names):
    for name, part in model.named_children():
        part.requires_grad_(name not in names)


def distance(order, left, right):
    return (left - right).norm(p=order, dim=-1)


def pull(measure, users, items):
    return measure(users, items).mean() - 0.1 * measure(users, items.flip(0)).mean()


def main(config):
    torch.manual_seed(0)
    model = Towers(config)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for stage in config.stages:
            freeze(model, stage.frozen)
            measure = partial(distance, stage.order)
            for _ in range(stage.steps):
                users = torch.randint(config.users, (16,))
                items = torch.randint(config.items, (16,))
                loss = pull(measure, *model(users, items))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main(Config())
