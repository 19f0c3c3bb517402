"""Contrastive training; every few batches the spread of one tower is looked after."""

from functools import partial

import torch
from collection import Collection
from towers import Tower, contrast, uniformity

LOSSES = {"plain": contrast, "margin": partial(contrast, margin=0.1)}


def schedule(step):
    return "plain" if step < 6 else "margin"


def main(epochs=4):
    torch.manual_seed(19)
    picture, label = Tower(10), Tower(8)
    compiled = {name: torch.compile(loss, backend="eager") for name, loss in LOSSES.items()}
    spread = torch.compile(uniformity, backend="eager")
    optimizer = torch.optim.Adam([*picture.parameters(), *label.parameters()], lr=0.01)
    collection, step = Collection(48, seed=3), 0
    for epoch in range(epochs):
        for pictures, labels in collection.batches(12):
            left, right = picture(pictures), label(labels)
            loss = compiled[schedule(step)](left, right)
            loss = loss + 0.1 * spread(left, left if step % 3 == 0 else right)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
        with torch.no_grad():
            scores = picture(collection.pictures) @ label(collection.labels).T
            found = (scores.argmax(-1) == torch.arange(48)).float().mean().item()
        print(f"{epoch}: loss {loss.item():.3f}, found {found:.2f}")


if __name__ == "__main__":
    main()
