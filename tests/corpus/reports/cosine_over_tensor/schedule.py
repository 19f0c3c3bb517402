import math


class CosineSchedule:
    def __init__(self, setup):
        self.setup = setup

    def rate(self, index):
        s = self.setup
        if index < s.warmup:
            return s.peak * (index + 1) / s.warmup
        done = (index - s.warmup) / max(1, s.steps - s.warmup)
        return s.floor + 0.5 * (s.peak - s.floor) * (1 + math.cos(math.pi * done))

    def set(self, optimizer, index):
        for group in optimizer.param_groups:
            group["lr"] = self.rate(index)
