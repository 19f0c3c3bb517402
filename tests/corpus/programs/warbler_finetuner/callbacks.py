"""Callbacks of the trainer."""


class Callback:
    def on_fit_start(self, trainer):
        pass

    def on_epoch_start(self, trainer):
        pass

    def on_epoch_end(self, trainer):
        pass


class BackboneFinetuning(Callback):
    """Keeps the backbone as it was pretrained until `unfreeze_at`."""

    def __init__(self, unfreeze_at=1, rate=1e-3):
        self.unfreeze_at, self.rate = unfreeze_at, rate

    @staticmethod
    def set_trainable(module, flag):
        for parameter in module.parameters():
            parameter.requires_grad = flag

    def on_fit_start(self, trainer):
        self.set_trainable(trainer.model.backbone, False)
        trainer.optimizer.add_param_group(
            {"params": list(trainer.model.backbone.parameters()), "lr": self.rate}
        )

    def on_epoch_start(self, trainer):
        if trainer.epoch == self.unfreeze_at:
            self.set_trainable(trainer.model.backbone, True)


class PrintLoss(Callback):
    def on_epoch_end(self, trainer):
        print(f"epoch {trainer.epoch}: {trainer.logged['loss']:.3f}")
