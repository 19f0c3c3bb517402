"""Which of the inputs does the error depend on?"""


class InputSensitivity:
    def __init__(self, every, start=0):
        self.every, self.start = every, start
        self.sums, self.count = None, 0

    def wants(self, step):
        return step >= self.start and (step - self.start) % self.every == 0

    def prepare(self, inputs, step):
        return inputs.requires_grad_(self.wants(step))

    def collect(self, inputs):
        if inputs.grad is None:
            return
        found = inputs.grad.abs().mean(0)
        self.sums = found if self.sums is None else self.sums + found
        self.count += 1

    def table(self, names):
        mean = (self.sums / max(self.count, 1)).tolist()
        return ", ".join(f"{name} {value:.2e}" for name, value in zip(names, mean, strict=True))
