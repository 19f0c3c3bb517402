class Anneal:
    """The temperature falls in equal ratios from epoch to epoch."""

    def __init__(self, start, end, epochs):
        self.start, self.end, self.epochs = start, end, epochs

    def __call__(self, trainer, epoch):
        ratio = (self.end / self.start) ** (epoch / max(1, self.epochs - 1))
        trainer.model.temperature.fill_(self.start * ratio)


class Warmup:
    def __init__(self, lr, steps):
        self.lr, self.steps = lr, steps

    def __call__(self, trainer, step):
        for group in trainer.optimizer.param_groups:
            group["lr"] = self.lr * min(1.0, (step + 1) / self.steps)
