import torch
from torch.utils.data import Dataset


class PackedTokens(Dataset):
    def __init__(self, n, block_size, vocab=32):
        g = torch.Generator().manual_seed(0)
        self.data = torch.randint(0, vocab, (n, block_size + 1), generator=g)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i, :-1], self.data[i, 1:]
