"""Compresses knitting charts, and shows one after each epoch."""

import torch
from coder import Coder
from patterns import COLOURS, batches, drawn
from torch.nn import functional


def show(chart):
    for row in chart[0]:
        print("".join("#" if stitch > 0.5 else "." for stitch in row))


def main(epochs=3):
    torch.manual_seed(8)
    coder = Coder(COLOURS)
    compiled = torch.compile(coder, backend="eager")
    optimizer = torch.optim.RMSprop(coder.parameters(), lr=0.01)
    held_out = drawn(8)
    for _ in range(epochs):
        for charts in batches(4):
            loss = functional.binary_cross_entropy(compiled(charts), charts)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            error = functional.mse_loss(compiled(held_out), held_out)
            print(f"{error:.3f}")
            show(compiled(held_out[0]))


if __name__ == "__main__":
    main()
