"""Pairs of verses in two languages, as token ids of one length."""

import torch

PAD, BOS = 0, 1


class VersePairs:
    def __init__(self, count=48, length=9, vocabulary=40, seed=1):
        generator = torch.Generator().manual_seed(seed)
        self.vocabulary = vocabulary
        self.source = torch.randint(2, vocabulary, (count, length), generator=generator)
        self.target = (self.source.flip(1) + 3) % vocabulary
        self.target[self.target < 2] = 2

    def __len__(self):
        return len(self.source)

    def epoch_iterator(self, batch_size, epoch):
        order = torch.randperm(len(self), generator=torch.Generator().manual_seed(epoch))
        for chosen in order.split(batch_size):
            target = self.target[chosen]
            previous = torch.cat([torch.full_like(target[:, :1], BOS), target[:, :-1]], dim=1)
            yield {"source": self.source[chosen], "previous": previous, "target": target}
