from dataclasses import dataclass

import torch


@dataclass
class Batch:
    tokens: torch.Tensor
    mask: torch.Tensor
    urgency: torch.Tensor

    def to(self, device):
        return Batch(self.tokens.to(device), self.mask.to(device), self.urgency.to(device))


class NotesLoader:
    """Fixed-size batches of ward notes, padded to `max_len`."""

    def __init__(self, n, batch_size, max_len, vocab, seed):
        g = torch.Generator().manual_seed(seed)
        lengths = torch.randint(3, max_len + 1, (n,), generator=g)
        self.tokens = torch.randint(1, vocab, (n, max_len), generator=g)
        self.mask = torch.arange(max_len)[None] < lengths[:, None]
        self.tokens = self.tokens.masked_fill(~self.mask, 0)
        self.urgency = (self.tokens % 7 == 0).float().mean(1)
        self.batch_size = batch_size
        self.generator = g

    def __len__(self):
        return len(self.tokens) // self.batch_size

    def __iter__(self):
        order = torch.randperm(len(self.tokens), generator=self.generator)
        for k in range(len(self)):
            rows = order[k * self.batch_size : (k + 1) * self.batch_size]
            yield Batch(self.tokens[rows], self.mask[rows], self.urgency[rows])
