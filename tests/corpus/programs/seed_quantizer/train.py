"""Trains a seed sorter for a small chip."""

import torch
from annealing import Annealing, Callbacks
from quantize import SeedSorter
from torch.nn import functional


def seeds(count=128, kinds=4):
    centres = torch.randn(kinds, 10)
    kind = torch.randint(kinds, (count,))
    return centres[kind] + 0.3 * torch.randn(count, 10), kind


def main():
    torch.manual_seed(0)
    features, kinds = seeds()
    network = SeedSorter()
    model = torch.compile(network, backend="aot_eager")
    callbacks = Callbacks(
        network, Annealing(pattern="trunk.*.quantize", field="bits", first=8, last=3, every=4)
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for step in range(24):
        callbacks.before_step(step)
        chosen = torch.randint(len(features), (32,))
        batch = features[chosen]
        logits = model(batch)
        loss = functional.cross_entropy(logits, kinds[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"loss {loss.item():.3f} at {callbacks.plans[0].at(step)} bits")


if __name__ == "__main__":
    main()
