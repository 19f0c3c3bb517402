import torch

from budget import OutOfMemory


class AutoMicroBatch:
    def __init__(self, net, budget):
        self.net = net
        self.budget = budget
        self.compiled = torch.compile(net, backend="aot_eager", dynamic=False)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        self.size = None

    def probe(self, x, size):
        """One forward and backward at this size, to see whether it fits."""
        out = self.compiled(x[:size])
        self.budget.check(size)
        out.sum().backward()
        self.optimizer.zero_grad()

    def search(self, x):
        size = x.shape[0]
        while size:
            try:
                self.probe(x, size)
                self.size = size
                return size
            except OutOfMemory:
                size //= 2
        raise OutOfMemory("not even one row fits")

    def step(self, x, y):
        total = 0.0
        for rows, target in zip(x.split(self.size), y.split(self.size)):
            loss = (self.compiled(rows) - target).square().mean()
            loss = loss * rows.shape[0] / x.shape[0]
            loss.backward()
            total += loss.item()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return total
