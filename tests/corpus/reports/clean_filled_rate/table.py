import torch


@torch.compile(backend="eager")
def update(weights, slopes, rows, rate):
    return weights.index_add(0, rows, -rate * slopes)


class Table:
    def __init__(self, rows, width, rate):
        self.weights = torch.randn(rows, width)
        self.rate = rate

    def learn(self, rows):
        picked = self.weights[rows]
        slopes = 2 * (picked - 1.0) / rows.shape[0]
        self.weights = update(self.weights, slopes, rows, self.rate)
        return (picked - 1.0).square().mean().item()
