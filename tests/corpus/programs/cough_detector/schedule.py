import math


def cosine(step, total, low, high):
    return low + 0.5 * (high - low) * (1 + math.cos(math.pi * step / total))


class Scheduled:
    """Sets any option of an optimizer's groups from a function of the step."""

    def __init__(self, optimizer, **functions):
        self.optimizer, self.functions, self.step_number = optimizer, functions, 0

    def step(self):
        for group in self.optimizer.param_groups:
            for name, function in self.functions.items():
                group[name] = function(self.step_number)
        self.step_number += 1
