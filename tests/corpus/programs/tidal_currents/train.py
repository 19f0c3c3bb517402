"""Trains over deployments with truncated backpropagation through time."""

import torch
from model import Current
from moorings import Deployment
from torch.nn.utils import clip_grad_norm_

CHUNK = 8


def main():
    torch.manual_seed(0)
    model = Current()
    run = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for season in range(3):
        state = None
        for inputs, velocities in Deployment(6, 40, seed=season).chunks(CHUNK):
            predicted, state = run(inputs, state)
            loss = (predicted - velocities).square().mean()
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            state = state.detach()


if __name__ == "__main__":
    main()
