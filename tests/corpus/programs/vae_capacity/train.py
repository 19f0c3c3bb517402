"""Trains the autoencoder, forward and backward compiled."""

import torch
from controller import CapacityController
from torch._dynamo import compiled_autograd
from vae import Vae


def epochs(count, batches, size):
    for epoch in range(count):
        yield epoch, (torch.randn(size, 16) for _ in range(batches))


def main():
    torch.manual_seed(0)
    vae = Vae()
    controller = CapacityController(vae, highest=2.0, epochs=4)
    compiled = torch.compile(vae, backend="aot_eager")
    optimizer = torch.optim.Adam(vae.parameters(), lr=2e-3)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for epoch, batches in epochs(4, 3, 8):
            controller.begin_epoch(epoch)
            for x in batches:
                loss = compiled(x, torch.randn(8, 4))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()
