"""Accumulates gradients over some batches."""


class Accumulator:
    def __init__(self, model, optimizer, every):
        self.model, self.optimizer, self.every = model, optimizer, every
        self.seen = 0

    def backward(self, loss):
        (loss / self.every).backward()
        self.seen += 1
        if self.seen % self.every == 0:
            self.optimizer.step()
            for parameter in self.model.parameters():
                parameter.grad = None
