import torch


class Pages:
    """Serves shuffled batches of a small set."""

    def __init__(self, count, batch, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(count, 10, generator=g)
        self.y = (self.x[:, 0] * self.x[:, 1] > 0).long()
        self.batch, self.g = batch, g

    def __iter__(self):
        order = torch.randperm(len(self.x), generator=self.g)
        for part in order.split(self.batch):
            yield self.x[part], self.y[part]
