"""Random windows of a long text of tokens."""

import torch


class Tokens:
    def __init__(self, vocab_size, count=2000, split=0.9):
        steps = torch.randint(1, 4, (count,))
        data = steps.cumsum(0) % vocab_size
        cut = int(count * split)
        self.parts = {"train": data[:cut], "val": data[cut:]}

    def get_batch(self, split, batch_size, block_size):
        data = self.parts[split]
        ix = torch.randint(len(data) - block_size, (batch_size,))
        x = torch.stack([data[i : i + block_size] for i in ix.tolist()])
        y = torch.stack([data[i + 1 : i + 1 + block_size] for i in ix.tolist()])
        return x, y
