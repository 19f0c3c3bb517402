"""Surveys of beaches: a bag of items for each stretch, of any number."""

import torch
from torch.utils.data import DataLoader, Dataset


class Surveys(Dataset):
    def __init__(self, stretches=36, features=6, seed=10):
        generator = torch.Generator().manual_seed(seed)
        counts = torch.randint(2, 5, (stretches,), generator=generator).tolist()
        self.bags = [torch.randn(count, features, generator=generator) for count in counts]

    def __len__(self):
        return len(self.bags)

    def __getitem__(self, index):
        bag = self.bags[index]
        return bag, bag[:, 0].max()


def collate(samples):
    bags, scores = zip(*samples, strict=True)
    lengths = torch.tensor([len(bag) for bag in bags])
    return {
        "items": torch.nn.utils.rnn.pad_sequence(bags, batch_first=True),
        "lengths": lengths,
        "score": torch.stack(scores),
    }


def loader(batch_size=6):
    generator = torch.Generator().manual_seed(0)
    return DataLoader(Surveys(), batch_size, shuffle=True, generator=generator, collate_fn=collate)
