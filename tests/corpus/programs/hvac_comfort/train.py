"""Forecasts the temperature of rooms hour by hour."""

import torch
from house import days
from model import Thermal
from torch._dynamo import compiled_autograd
from torch.nn import functional


def main():
    torch.manual_seed(0)
    model = Thermal()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    state, pending, count = model.reset(), 0.0, 0
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for morning, piece in days(3):
            if morning:
                state = model.reset()
            guessed, state = model(piece, state)
            pending = pending + functional.mse_loss(guessed, piece)
            count += 1
            if count % 2:
                continue
            optimizer.zero_grad()
            (pending / 2).backward()
            optimizer.step()
            state["hidden"] = state["hidden"].detach()
            pending = 0.0


if __name__ == "__main__":
    main()
