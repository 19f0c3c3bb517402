"""Counts how often gradients are clipped."""


class Clipper:
    def __init__(self, limit):
        self.limit = limit
        self.seen = 0

    def __call__(self, gradient):
        self.seen += 1
        return gradient.clamp(-self.limit, self.limit)
