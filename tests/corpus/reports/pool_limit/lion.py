import torch


@torch.compile(backend="eager", fullgraph=True, dynamic=False)
def update(weight, grad, memory, rate):
    direction = torch.sign(0.9 * memory + 0.1 * grad)
    weight.sub_(rate * direction)
    memory.mul_(0.99).add_(grad, alpha=0.01)


class SignMomentum:
    """A small sign-momentum optimizer with one compiled kernel for each weight."""

    def __init__(self, params, rate):
        self.params = [p for p in params]
        self.memory = [torch.zeros_like(p) for p in self.params]
        self.rate = torch.tensor(rate)

    @torch.no_grad()
    def step(self):
        for p, m in zip(self.params, self.memory):
            update(p, p.grad, m, self.rate)

    def clear(self):
        for p in self.params:
            p.grad = None
