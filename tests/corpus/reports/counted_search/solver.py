import torch


class Solver:
    def __init__(self, rules):
        self.masks, self.limits = rules

    def solve(self, weights):
        return narrow(weights, self.masks, self.limits)


@torch.compile(backend="eager")
def narrow(weights, masks, limits):
    """Applies the rules one by one; returns the best candidate and the rounds used."""
    alive = torch.ones_like(weights, dtype=torch.bool)
    rounds = torch.zeros((), dtype=torch.long)
    for index in range(masks.shape[0]):
        score = torch.where(alive, weights, torch.zeros_like(weights))
        fresh = alive & (masks[index] | (score > limits[index]))
        if torch.count_nonzero(fresh) <= 1:
            break
        alive = fresh
        rounds = rounds + 1
    best = torch.where(alive, weights, torch.full_like(weights, -1.0)).argmax()
    return best, rounds
