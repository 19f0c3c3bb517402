"""An encoder and a decoder that is fed its own words, or the right ones."""

import random

import torch
from torch import nn

SOS, EOS, PAD = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, words, hidden):
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.mix = nn.Conv1d(hidden, hidden, 3, padding=1)

    def forward(self, source):
        return torch.tanh(self.mix(self.embedding(source).transpose(1, 2))).transpose(1, 2)


class AttnDecoder(nn.Module):
    def __init__(self, words, hidden, teacher_forcing_ratio):
        super().__init__()
        self.teacher_forcing_ratio = teacher_forcing_ratio
        self.embedding = nn.Embedding(words, hidden)
        self.cell = nn.RNNCell(2 * hidden, hidden)
        self.out = nn.Linear(hidden, words)

    def step(self, word, hidden, encoded):
        weights = torch.softmax((encoded * hidden.unsqueeze(1)).sum(2), dim=1)
        context = (weights.unsqueeze(2) * encoded).sum(1)
        hidden = self.cell(torch.cat([self.embedding(word), context], dim=1), hidden)
        return self.out(hidden), hidden

    def forward(self, encoded, target):
        word = torch.full_like(target[:, 0], SOS)
        hidden = encoded.mean(1)
        forced = random.random() < self.teacher_forcing_ratio
        outputs = []
        for i in range(target.size(1)):
            logits, hidden = self.step(word, hidden, encoded)
            outputs.append(logits)
            word = target[:, i] if forced else logits.argmax(1)
        return torch.stack(outputs, dim=1)
