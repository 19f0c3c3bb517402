"""What happens between epochs."""


class Callback:
    def on_epoch_end(self, trainer, epoch):
        pass


class Report(Callback):
    def on_epoch_end(self, trainer, epoch):
        print(f"epoch {epoch}: {sum(trainer.losses) / len(trainer.losses):.3f}")


class Sharpen(Callback):
    """Outliers count less and less."""

    def __init__(self, factor):
        self.factor = factor

    def on_epoch_end(self, trainer, epoch):
        trainer.objective.criterion.delta *= self.factor
