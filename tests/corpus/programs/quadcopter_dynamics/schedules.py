class HorizonCurriculum:
    """Longer flights as the loss allows it, at the latest after `patience` steps."""

    def __init__(self, first=1, last=4, patience=4, good=1e-4):
        self.horizon, self.last = first, last
        self.patience, self.good, self.since = patience, good, 0

    def report(self, loss):
        self.since += 1
        if self.horizon < self.last and (loss < self.good or self.since >= self.patience):
            self.horizon += 1
            self.since = 0


class ControlSensitivity:
    """How much does the loss depend on each motor? Looked at now and then."""

    def __init__(self, every):
        self.every = every
        self.seen = []

    def prepare(self, step, thrusts):
        return thrusts.clone().requires_grad_(step % self.every == 0)

    def collect(self, step, thrusts):
        if thrusts.grad is not None:
            self.seen.append((step, thrusts.grad.abs().mean((0, 1)).tolist()))
