"""Learns to tell changes apart by how they are rung."""

import argparse
from dataclasses import dataclass, field

import torch
from collate import Collater, Peals
from network import ChangeNet
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader


@dataclass
class Run:
    batch_size: int = 4
    epochs: int = 3
    lr: float = 5e-3
    temperature: float = 1.0
    backend: str = "aot_eager"
    seed: int = 4
    curve: list[float] = field(default_factory=list)


def step(network, batch, optimizer, run, epoch):
    logits = network(batch["spectra"], batch["mask"])
    temperature = run.temperature * 0.9**epoch
    loss = cross_entropy(logits / temperature, batch["change"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    run.curve.append(loss.item())


def fit(run):
    torch.manual_seed(run.seed)
    peals = Peals(32, seed=run.seed)
    loader = DataLoader(
        peals,
        batch_size=run.batch_size,
        shuffle=True,
        drop_last=True,
        collate_fn=Collater(peals.max_strikes),
    )
    network = ChangeNet()
    compiled = torch.compile(network, backend=run.backend)
    optimizer = torch.optim.NAdam(network.parameters(), lr=run.lr)
    for epoch in range(run.epochs):
        for batch in loader:
            step(compiled, batch, optimizer, run, epoch)
        recent = run.curve[-len(loader) :]
        print(f"{epoch}: {sum(recent) / len(recent):.4f} after {int(network.steps)} steps")
    return network


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=Run.epochs)
    fit(Run(epochs=parser.parse_args().epochs))
