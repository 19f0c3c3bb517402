import torch
from compiled import compile_if_possible


class SinkhornEmbedding:
    """symmetric affinities with equal row and column sums, then two leading directions"""

    def __init__(self, n_iter, temperature):
        self.n_iter, self.temperature = n_iter, temperature
        self.scale = compile_if_possible(self._scale)

    def _scale(self, cost):
        logK = -cost / self.temperature
        f = torch.zeros(cost.shape[0])
        for _ in range(self.n_iter):
            f = 0.5 * (f - torch.logsumexp(logK + f, dim=1))
        P = torch.exp(logK + f[:, None] + f[None])
        return P, (P.sum(1) - 1).abs().mean()

    def fit(self, X):
        cost = torch.cdist(X, X)
        P, error = self.scale(cost)
        self.error, self.transport = error.item(), (P * cost).sum().item()
        self.embedding = torch.linalg.eigh(P)[1][:, -2:]
        return self.embedding
