import torch


class Benchmark:
    """Two phases that ought to run the same graph."""

    def __init__(self, model, repeat):
        self.model = torch.compile(model, backend="eager")
        self.repeat = repeat

    def warm_up(self, x, calls=3):
        for _ in range(calls):
            self.model(x)

    def once(self, x):
        return self.model(x).mean()

    @torch.inference_mode()
    def measure(self, x):
        total = 0.0
        for _ in range(self.repeat):
            total += self.once(x).item()
        return self.repeat, total / self.repeat
