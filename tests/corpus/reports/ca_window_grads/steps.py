import torch
from torch._dynamo import compiled_autograd


def backward(loss):
    with compiled_autograd._enable(torch.compile(backend="aot_eager")):
        loss.backward()


class Accumulator:
    """Steps the optimizer once per window of micro-batches."""

    def __init__(self, net, opt, window):
        self.net, self.opt, self.window = net, opt, window
        self.seen = 0

    def feed(self, loss):
        backward(loss / self.window)
        self.seen += 1
        if self.seen % self.window == 0:
            self.opt.step()
            self.opt.zero_grad()
