"""Fits rents of flats, source by source."""

import numpy as np
import torch
from frames import batches, portal, registry, survey
from tabular import TabularNet
from torch.nn import functional as F

FEATURES = ("area", "age", "floor")
TARGET = "rent"


def to_tensors(rows):
    return {name: torch.from_numpy(column) for name, column in rows.items()}


def main(epochs=2):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    frames = [source(rng, 24) for source in (registry, survey, portal)]
    model = TabularNet(FEATURES)
    predict = torch.compile(model, backend="aot_eager")
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        losses = []
        for rows in batches(frames, 8, rng):
            batch = to_tensors(rows)
            target = batch.pop(TARGET) / 100
            loss = F.l1_loss(predict(batch), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: {np.mean(losses):.3f}")


if __name__ == "__main__":
    main()
