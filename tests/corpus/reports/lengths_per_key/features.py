import torch


class Bag:
    """ragged ids of several keys, stored one behind the other"""

    def __init__(self, keys, values, offsets, stride, length_per_key=None):
        self.keys, self.values, self.offsets, self.stride = keys, values, offsets, stride
        self.length_per_key = length_per_key

    def per_key(self):
        lengths = torch.diff(self.offsets).view(-1, self.stride)
        length_per_key = lengths.sum(1).tolist()
        parts = self.values.split(length_per_key)
        return {k: (parts[i], lengths[i]) for i, k in enumerate(self.keys)}


def batches(n, batch=5):
    g = torch.Generator().manual_seed(10)
    for _ in range(n):
        lengths = torch.randint(1, 5, (3, batch), generator=g)
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), lengths.flatten().cumsum(0)])
        values = torch.randint(0, 30, (int(lengths.sum()),), generator=g)
        bag = Bag(("user", "item", "shop"), values, offsets, batch, lengths.sum(1).tolist())
        yield bag, (lengths[0] > lengths[1]).float()
