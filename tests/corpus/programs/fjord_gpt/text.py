"""Names of fjords, over and over."""

import torch

NAMES = ["sogne", "hardanger", "geiranger", "lyse", "oslo", "trondheim", "nord", "varanger"]


class Corpus:
    def __init__(self, repeats=12):
        text = "\n".join(NAMES * repeats)
        self.characters = sorted(set(text))
        ids = torch.tensor([self.characters.index(c) for c in text])
        cut = int(0.9 * len(ids))
        self.parts = {"train": ids[:cut], "val": ids[cut:]}

    def batch(self, split, batch_size, block_size):
        data = self.parts[split]
        ix = torch.randint(len(data) - block_size, (batch_size,)).tolist()
        x = torch.stack([data[i : i + block_size] for i in ix])
        y = torch.stack([data[i + 1 : i + 1 + block_size] for i in ix])
        return x, y

    def decode(self, ids):
        return "".join(self.characters[i] for i in ids)
