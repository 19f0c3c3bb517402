"""Trains the judge of a karaoke machine."""

import logging
import math

import clock
import torch
from singer import Singer

BINS, NOTES = 32, 6


def sing(batch=12):
    note = torch.randint(NOTES, (batch,))
    place = torch.arange(BINS) / BINS
    tone = torch.cos(2 * math.pi * (note[:, None] + 1) * place)
    return torch.fft.rfft(tone, n=2 * BINS - 2).abs(), note


def main(steps=7):
    logging.basicConfig(level=logging.WARNING)
    torch.manual_seed(1)
    singer = Singer(BINS, NOTES)
    judge = torch.compile(singer, backend="eager")
    optimizer = torch.optim.NAdam(singer.parameters())
    for _ in range(steps):
        loss = judge(*sing())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        clock.tick()


if __name__ == "__main__":
    main()
