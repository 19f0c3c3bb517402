"""Plans by which a setting of some modules changes while training."""

from dataclasses import dataclass
from fnmatch import fnmatch


@dataclass(frozen=True)
class Annealing:
    pattern: str
    field: str
    first: int
    last: int
    every: int

    def at(self, step):
        return max(self.last, self.first - step // self.every)

    def applied(self, model, step):
        bits = self.at(step)
        for name, module in model.named_modules():
            if fnmatch(name, self.pattern):
                setattr(module, self.field, bits)


class Callbacks:
    def __init__(self, model, *plans):
        self.model, self.plans = model, plans

    def before_step(self, step):
        for plan in self.plans:
            plan.applied(self.model, step)
