"""Predicts what depots pay, with Accelerate."""

import torch
from accelerate import Accelerator
from depots import depots
from torch import nn


def main(epochs=2):
    torch.manual_seed(0)
    accelerator = Accelerator(cpu=True)
    model = nn.Sequential(nn.Linear(4, 12), nn.GELU(), nn.Linear(12, 1), nn.Flatten(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loaders = [depot.loader() for depot in depots()]
    model, optimizer, *loaders = accelerator.prepare(model, optimizer, *loaders)
    for epoch in range(epochs):
        for loader in loaders:
            for moisture, price, weights in loader:
                with accelerator.accumulate(model):
                    errors = (model(moisture) - price).abs()
                    loss = (weights * errors).sum() / weights.sum()
                    accelerator.backward(loss)
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad()
            accelerator.print(f"{epoch} {loader.dataset.depot}: {loss.item():.2f}")


if __name__ == "__main__":
    main()
