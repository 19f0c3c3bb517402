class Warmup:
    """Fills the rate's tensor; whoever holds the tensor sees the new value."""

    def __init__(self, rate, peak, length):
        self.rate = rate
        self.peak = peak
        self.length = length

    def step(self, index):
        self.rate.fill_(self.peak * min(1.0, (index + 1) / self.length))
