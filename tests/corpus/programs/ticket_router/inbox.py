"""Synthetic support tickets, one desk at a time."""

import itertools

import torch

DESKS = {"billing": 4, "shipping": 6, "returns": 3}


class Inbox:
    def __init__(self, batch=12, words=10, vocab=90, seed=0):
        self.batch, self.words, self.vocab = batch, words, vocab
        self.rng = torch.Generator().manual_seed(seed)

    def ticket(self, desk):
        text = torch.randint(self.vocab, (self.batch, self.words), generator=self.rng)
        fields = {"text": text, "urgent": (text[:, :2].float().mean(1, keepdim=True)) / 50}
        if text[0, 0] % 2:
            fields["photo"] = torch.randn(self.batch, 8, generator=self.rng)
        return fields, text.sum(1) % DESKS[desk]

    def stream(self, count):
        for desk in itertools.islice(itertools.cycle(DESKS), count):
            yield desk, *self.ticket(desk)
