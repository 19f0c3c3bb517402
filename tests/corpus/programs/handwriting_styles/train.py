"""Trains on pages of several writers."""

import random

import torch
from recognizer import Recognizer
from torch.nn import functional

WRITERS = ["ada", "bela", "carl", "dana", "emil"]


def pages(count, letters=16, pixels=36):
    shuffled = random.Random(1)
    for number in range(count):
        writer = WRITERS[number] if number < len(WRITERS) else shuffled.choice(WRITERS)
        ink = torch.rand(letters, pixels)
        yield writer, ink, ink[:, :10].argmax(1)


def main():
    torch.manual_seed(0)
    recognizer = Recognizer()
    compiled = torch.compile(recognizer, backend="eager")
    optimizer = torch.optim.Adam(recognizer.parameters(), lr=2e-3)
    for writer, ink, letters in pages(18):
        loss = functional.cross_entropy(compiled(ink, writer), letters)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
