"""Predicts a property of molecules."""

import torch
from gnn import Gnn
from graphs import batches
from torch._dynamo import compiled_autograd


def main():
    torch.manual_seed(0)
    model = Gnn()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    compiler = torch.compile(backend="eager", dynamic=False)
    with compiled_autograd._enable(compiler, dynamic=False):
        for batch in batches(6, 4):
            loss = (model(batch) - batch.target).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
