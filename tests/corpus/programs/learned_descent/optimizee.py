"""The problems on which the optimizer is trained: random ill-conditioned quadratics."""

import torch


class Quadratic:
    def __init__(self, batch, size, generator):
        spread = torch.logspace(-1, 0.5, size)
        basis = torch.randn(batch, size, size, generator=generator)
        self.matrix = torch.linalg.qr(basis)[0] * spread
        self.target = torch.randn(batch, size, generator=generator)

    def value(self, theta):
        rest = (self.matrix @ theta.unsqueeze(-1)).squeeze(-1) - self.target
        return 0.5 * rest.square().sum(-1)

    def gradient(self, theta):
        rest = (self.matrix @ theta.unsqueeze(-1)).squeeze(-1) - self.target
        return (self.matrix.transpose(1, 2) @ rest.unsqueeze(-1)).squeeze(-1)


def problems(count, batch=6, size=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    for _ in range(count):
        yield Quadratic(batch, size, generator), torch.randn(batch, size, generator=generator)
