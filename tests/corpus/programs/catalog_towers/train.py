"""Trains two towers on clicks."""

import torch
from clicks import click_loader
from torch.nn import functional as F
from towers import TwoTowers


def main(epochs=2):
    torch.manual_seed(16)
    loader = click_loader(batch_size=16)
    model = TwoTowers(30, 50)
    model.compile()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        seen, total = 0, 0.0
        for batch in loader:
            clicked = batch.pop("clicked")
            loss = F.binary_cross_entropy_with_logits(model(batch), clicked)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen += clicked.numel()
            total += loss.item()
        print(f"epoch {epoch}: {total:.3f} over {seen} clicks")


if __name__ == "__main__":
    main()
