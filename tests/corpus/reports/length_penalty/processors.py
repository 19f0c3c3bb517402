import torch


class LogitsProcessors:
    """minimum length, growing preference for the end token, no immediate repeat"""

    def __init__(self, eos, min_len, start, factor):
        self.eos, self.min_len, self.start, self.factor = eos, min_len, start, factor

    def __call__(self, scores, last, cur_len):
        scores = scores.clone()
        scores.scatter_(1, last, -10.0)
        if cur_len < self.min_len:
            scores[:, self.eos] = -10.0
        if cur_len > self.start:
            growth = pow(self.factor, cur_len - self.start) - 1.0
            scores[:, self.eos] += scores[:, self.eos].abs() * growth
        return scores
