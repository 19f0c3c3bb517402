"""Orders at a coffee bar: each queue is as long as it is."""

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

DRINKS = 7


class Queues(Dataset):
    def __init__(self, count, longest=6):
        lengths = torch.randint(2, longest + 1, (count,)).sort().values
        self.orders = [torch.randint(1, DRINKS, (int(length),)) for length in lengths]

    def __len__(self):
        return len(self.orders)

    def __getitem__(self, number):
        orders = self.orders[number]
        return orders, (orders % 3).float().sum()


def collate(queues):
    orders, minutes = zip(*queues, strict=True)
    return pad_sequence(orders, batch_first=True), torch.stack(minutes)


def bar(count=24, batch=4):
    return DataLoader(Queues(count), batch_size=batch, collate_fn=collate)
