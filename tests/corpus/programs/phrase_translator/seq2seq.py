"""Encoder and decoder, after the PyTorch translation tutorial."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from vocab import SOS, WORDS


class Encoder(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, hidden)
        self.proj = nn.Linear(hidden, hidden)

    def forward(self, source):
        return torch.tanh(self.proj(self.embedding(source)))


class Decoder(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, hidden)
        self.cell = nn.Linear(2 * hidden, hidden)
        self.out = nn.Linear(hidden, WORDS)

    def forward_step(self, token, hidden):
        x = torch.cat([self.embedding(token), hidden], dim=-1)
        hidden = torch.tanh(self.cell(x))
        return self.out(hidden), hidden


class Seq2Seq(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.encoder = Encoder(hidden)
        self.decoder = Decoder(hidden)

    def forward(self, source, target, teacher_forcing_ratio=0.5):
        hidden = self.encoder(source).mean(1)
        token = torch.full((len(source),), SOS)
        outputs = []
        for t in range(target.shape[1]):
            logits, hidden = self.decoder.forward_step(token, hidden)
            outputs.append(logits)
            forced = random.random() < teacher_forcing_ratio
            token = target[:, t] if forced else logits.argmax(-1)
        return torch.stack(outputs, dim=1)


def sequence_loss(logits, target, pad):
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad)
