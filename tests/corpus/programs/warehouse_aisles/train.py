"""Learns picking times, one aisle at a step."""

import torch
from aisles import rounds
from picker import PickTime
from torch._dynamo import compiled_autograd
from torch.nn.utils import clip_grad_norm_


def relative_error(predicted, minutes):
    return ((predicted - minutes).abs() / minutes).mean()


def main(features=4):
    torch.manual_seed(0)
    model = PickTime(features)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.1)
    errors: dict[str, float] = {}
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for aisle in rounds(3, features):
            optimizer.zero_grad()
            loss = relative_error(model(aisle.shelves), aisle.minutes)
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            errors[aisle.name] = loss.item()


if __name__ == "__main__":
    main()
