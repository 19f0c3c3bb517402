"""Which orchid is it? A probe on frozen features."""

from collections import Counter

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from bank import FeatureBank, pretrained
from probe import Probe
from torch.utils.data import DataLoader, TensorDataset


def orchids(count=32, kinds=4):
    label = (torch.rand(count).square() * kinds).long()
    pictures = torch.rand(count, 3, 20, 20)
    pictures[:, 0] += label[:, None, None] / kinds
    return TensorDataset(torch.arange(count), pictures, label)


def rarities(data, kinds=4):
    seen = Counter(label.item() for *_, label in data)
    return {kind: len(data) / (kinds * max(1, seen[kind])) for kind in range(kinds)}


def main():
    set_seed(0)
    accelerator = Accelerator(cpu=True)
    data = orchids()
    bank = FeatureBank(pretrained())
    probe = Probe(rarities(data))
    model = torch.compile(probe, backend="eager")
    optimizer = torch.optim.AdamW(probe.parameters(), lr=0.02)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(3):
        for numbers, pictures, labels in loader:
            features = bank.features(numbers.tolist(), pictures)
            loss = model(features, labels)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
