"""Dates in digits, and how they are spelled: two or three words."""

import torch
from seq2seq import EOS, PAD


class Dates:
    def __init__(self, count, digits=10, words=20):
        self.words = words
        self.source = torch.randint(3, words, (count, digits))
        self.lengths = torch.arange(count) % 2 + 2

    def spelled(self, index):
        return torch.cat([self.source[index, : self.lengths[index]], torch.tensor([EOS])])

    def batches(self, batch_size):
        """Dates of like length together."""
        order = self.lengths.argsort().view(-1, batch_size)
        for rows in order[torch.randperm(len(order))]:
            target = [self.spelled(index) for index in rows]
            yield self.source[rows], torch.nn.utils.rnn.pad_sequence(target, True, PAD)
