"""Conversations cut or padded to one length; only answers are learned."""

import torch
from torch.utils.data import DataLoader, Dataset

PAD, IGNORE = 0, -100


class Chats(Dataset):
    def __init__(self, count=24, max_length=20, seed=5):
        self.max_length = max_length
        self.g = torch.Generator().manual_seed(seed)
        self.rows = [self._chat() for _ in range(count)]

    def _chat(self):
        asked = int(torch.randint(3, 9, (1,), generator=self.g))
        answered = int(torch.randint(4, 16, (1,), generator=self.g))
        tokens = torch.randint(1, 64, (asked + answered,), generator=self.g)
        labels = tokens.clone()
        labels[:asked] = IGNORE
        return tokens[: self.max_length], labels[: self.max_length]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        tokens, labels = self.rows[index]
        missing = self.max_length - len(tokens)
        pad = torch.nn.functional.pad
        return pad(tokens, (0, missing), value=PAD), pad(labels, (0, missing), value=IGNORE)


def get_loader(batch_size=4):
    return DataLoader(Chats(), batch_size=batch_size, shuffle=True, drop_last=True)
