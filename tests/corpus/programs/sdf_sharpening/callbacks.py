"""What happens around the epochs."""


class Callback:
    def on_epoch_start(self, trainer, epoch):
        pass

    def on_epoch_end(self, trainer, epoch):
        pass


class Sharpen(Callback):
    def __init__(self, first=2.0, factor=1.5):
        self.first = first
        self.factor = factor

    def on_epoch_start(self, trainer, epoch):
        trainer.model.sharpness = self.first * self.factor**epoch


class DecayRate(Callback):
    def __init__(self, factor=0.8):
        self.factor = factor

    def on_epoch_end(self, trainer, epoch):
        for group in trainer.optimizer.param_groups:
            group["lr"] *= self.factor


class Report(Callback):
    def on_epoch_end(self, trainer, epoch):
        print(f"{epoch}: {trainer.last:.4f}")
