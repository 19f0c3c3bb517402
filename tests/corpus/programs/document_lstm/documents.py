"""Documents cut into windows of a few tokens each."""

import torch
from torch.utils.data import DataLoader, Dataset


class Documents(Dataset):
    def __init__(self, count, length, vocabulary=20, tags=5):
        self.tokens = torch.randint(0, vocabulary, (count, length))
        self.tags = (self.tokens + self.tokens.roll(1, 1)) % tags

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        return self.tokens[index], self.tags[index]


def windows(tokens, tags, size):
    """Consecutive pieces of a batch, and whether one begins its documents."""
    for start in range(0, tokens.shape[1], size):
        piece = slice(start, start + size)
        yield start == 0, tokens[:, piece], tags[:, piece]


def build_loader(options):
    documents = Documents(options["documents"], options["length"])
    return DataLoader(documents, batch_size=options["rows"], shuffle=True)
