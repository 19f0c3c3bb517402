import random


class InnerSchedule:
    """How much, and how fast, the learner adapts."""

    def __init__(self, max_steps=3, lr=0.5, decay=0.7, seed=0):
        self.max_steps, self.lr, self.decay = max_steps, lr, decay
        self.rng = random.Random(seed)

    def steps(self):
        """Drawn anew, so that no one horizon is overfitted."""
        return self.rng.randint(1, self.max_steps)

    def end_epoch(self):
        self.lr *= self.decay
