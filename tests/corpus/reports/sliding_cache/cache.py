import torch


class StaticSlidingWindowLayer:
    def __init__(self, window, dim):
        self.window = window
        self.keys = torch.zeros(1, window, dim)
        self.values = torch.zeros(1, window, dim)
        self.cumulative_length = 0

    def update(self, k, v):
        if self.cumulative_length >= self.window:
            self.keys.copy_(torch.cat([self.keys[:, 1:], k], dim=1))
            self.values.copy_(torch.cat([self.values[:, 1:], v], dim=1))
        else:
            self.keys[:, self.cumulative_length] = k[:, 0]
            self.values[:, self.cumulative_length] = v[:, 0]
        self.cumulative_length += 1
        mask = torch.arange(self.window) < self.cumulative_length
        return self.keys, self.values, mask
