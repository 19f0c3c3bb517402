class InnerSteps:
    """One step of adaptation at first, then one more in each phase."""

    def __init__(self, first, last, phase):
        self.first, self.last, self.phase = first, last, phase

    def __call__(self, iteration):
        return min(self.last, self.first + iteration // self.phase)
