class Callback:
    def on_fit_start(self, trainer):
        pass

    def on_epoch_start(self, trainer):
        pass

    def on_epoch_end(self, trainer, metrics):
        pass


class TemperatureAnnealing(Callback):
    def __init__(self, start, end):
        self.start, self.end = start, end

    def on_epoch_start(self, trainer):
        done = trainer.epoch / max(1, trainer.epochs - 1)
        trainer.module.temperature = self.start + (self.end - self.start) * done


class EarlyStopping(Callback):
    def __init__(self, patience):
        self.patience = patience
        self.best = float("inf")
        self.waited = 0

    def on_epoch_end(self, trainer, metrics):
        if metrics["val_loss"] < self.best:
            self.best, self.waited = metrics["val_loss"], 0
            return
        self.waited += 1
        trainer.should_stop = self.waited >= self.patience


class EpochLog(Callback):
    def on_epoch_end(self, trainer, metrics):
        told = "  ".join(f"{key} {value:.4f}" for key, value in metrics.items())
        print(f"[{trainer.epoch}] {told}")


def make(config):
    known = {cls.__name__: cls for cls in Callback.__subclasses__()}
    return [known[name](**options) for name, options in config.items()]
