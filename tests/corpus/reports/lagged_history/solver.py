import torch

WEIGHTS = {1: (1.0,), 2: (1.5, -0.5), 3: (23 / 12, -16 / 12, 5 / 12)}


class MultistepSolver:
    """Adams-Bashforth of order 3, started with lower orders"""

    def __init__(self, field, dt):
        self.field, self.dt = field, dt
        self.past = []

    def reset(self):
        self.past = []

    def step(self, x):
        self.past.append(self.field(x))
        order = min(len(self.past), 3)
        move = torch.zeros_like(x)
        for w, d in zip(WEIGHTS[order], reversed(self.past)):
            move = move + w * d
        return x + self.dt * move
