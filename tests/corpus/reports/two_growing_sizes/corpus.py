import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset

LONGEST = 12


class Documents(Dataset):
    def __init__(self, count):
        generator = torch.Generator().manual_seed(8)
        sizes = torch.randint(4, LONGEST + 1, (count,), generator=generator)
        self.words = [torch.randint(1, 20, (int(size),), generator=generator) for size in sizes]

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        return self.words[index], self.words[index] % 3


def collate(items):
    """Pads to the longest document of the batch."""
    words = pad_sequence([w for w, _ in items], batch_first=True)
    tags = pad_sequence([t for _, t in items], batch_first=True, padding_value=-100)
    return words, tags
