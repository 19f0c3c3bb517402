"""Trains the composer on long melodies, chunk by chunk."""

import torch
from melody import Composer, melodies
from torch._dynamo import compiled_autograd
from torch.nn import functional


class Plateau:
    """Halves the rate when the loss stops falling."""

    def __init__(self, optimizer, patience=1):
        self.optimizer = optimizer
        self.patience = patience
        self.best = float("inf")
        self.waited = 0

    def step(self, loss):
        self.waited = 0 if loss < self.best else self.waited + 1
        self.best = min(self.best, loss)
        if self.waited > self.patience:
            for group in self.optimizer.param_groups:
                group["lr"] /= 2


def run(model, optimizer, songs, chunk, train=True):
    state, total, chunks = model.start(len(songs)), 0.0, 0
    for begin in range(0, songs.shape[1] - chunk, chunk):
        notes = songs[:, begin : begin + chunk + 1]
        logits, state = model(notes[:, :-1], state.detach())
        loss = functional.cross_entropy(logits.mT, notes[:, 1:])
        if train:
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        total, chunks = total + loss.item(), chunks + 1
    return total / chunks


def main(epochs=3, chunk=4):
    torch.manual_seed(0)
    model = Composer()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    plateau = Plateau(optimizer)
    training, held_out = melodies(6, 18), melodies(3, 26)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for _ in range(epochs):
            run(model, optimizer, training, chunk)
            with torch.no_grad():
                plateau.step(run(model, None, held_out, chunk, train=False))


if __name__ == "__main__":
    main()
