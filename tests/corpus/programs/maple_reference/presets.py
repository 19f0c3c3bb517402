"""How the regularization grows while the run goes on."""


class Ramp:
    """Grows a setting of an object linearly, epoch by epoch."""

    def __init__(self, target, name, last, epochs):
        self.target, self.name = target, name
        self.values = [last * epoch / max(1, epochs - 1) for epoch in range(epochs)]

    def set_epoch(self, epoch):
        setattr(self.target, self.name, self.values[epoch])


class RampGroup:
    def __init__(self, *ramps):
        self.ramps = ramps

    def set_epoch(self, epoch):
        for ramp in self.ramps:
            ramp.set_epoch(epoch)
