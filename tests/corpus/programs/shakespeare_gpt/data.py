"""Character-level blocks of a text."""

import torch
from torch.utils.data import DataLoader, Dataset

TEXT = (
    "First Citizen:\nBefore we proceed any further, hear me speak.\n\n"
    "All:\nSpeak, speak.\n\n"
    "First Citizen:\nYou are all resolved rather to die than to famish?\n\n"
    "All:\nResolved. resolved.\n\n"
    "First Citizen:\nFirst, you know Caius Marcius is chief enemy to the people.\n\n"
) * 5


class CharDataset(Dataset):
    def __init__(self, text, block_size):
        chars = sorted(set(text))
        stoi = {ch: i for i, ch in enumerate(chars)}
        self.data = torch.tensor([stoi[c] for c in text])
        self.block_size = block_size
        self.vocab_size = len(chars)

    def __len__(self):
        return (len(self.data) - 1) // self.block_size

    def __getitem__(self, i):
        start = i * self.block_size
        chunk = self.data[start : start + self.block_size + 1]
        return chunk[:-1], chunk[1:]


def get_dataloader(block_size, batch_size):
    dataset = CharDataset(TEXT, block_size)
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
    return dataset, loader
