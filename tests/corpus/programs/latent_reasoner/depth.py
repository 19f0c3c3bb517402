"""How often the recurrent block runs."""

import math
import random


class DepthSchedule:
    """Draws a depth from a log-normal around a mean, as in models that think in latent space."""

    def __init__(self, mean=2, sigma=0.5, deepest=3, seed=0):
        self.mean, self.sigma, self.deepest = mean, sigma, deepest
        self.rng = random.Random(seed)

    def sample(self):
        drawn = self.rng.lognormvariate(math.log(self.mean), self.sigma)
        return max(1, min(self.deepest, round(drawn)))
