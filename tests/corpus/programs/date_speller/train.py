"""Trains a speller of dates with attention and teacher forcing."""

import random

import torch
from lang import Dates
from monitor import PeakMonitor
from seq2seq import PAD, AttnDecoder, Encoder
from torch import nn


def train_epoch(batches, encoder, decoder, optimizers, criterion):
    total = []
    for source, target in batches:
        logits = decoder(encoder(source), target)
        loss = criterion(logits.flatten(0, 1), target.flatten())
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        total.append(loss.item())
    return sum(total) / len(total)


def main(epochs=2, hidden=16):
    random.seed(2)
    torch.manual_seed(2)
    dates = Dates(24)
    encoder = Encoder(dates.words, hidden)
    decoder = AttnDecoder(dates.words, hidden, teacher_forcing_ratio=0.5)
    optimizers = [torch.optim.Adam(part.parameters(), lr=0.01) for part in (encoder, decoder)]
    criterion, monitor = nn.CrossEntropyLoss(ignore_index=PAD), PeakMonitor()
    for epoch in range(epochs):
        monitor.watch(decoder)
        loss = train_epoch(dates.batches(6), encoder, decoder, optimizers, criterion)
        print(f"({epoch + 1} {epoch / epochs:.0%}) {loss:.4f}, peak {monitor.peak:.4f}")


if __name__ == "__main__":
    main()
