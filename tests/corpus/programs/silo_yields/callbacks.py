"""What happens around epochs and steps."""

import torch


class Callback:
    def on_epoch_begin(self, fit, epoch): ...

    def on_step_end(self, fit): ...

    def on_epoch_end(self, fit, epoch): ...


class GradientNoise(Callback):
    """Noise for the gradients of the last layer, while the fit is young."""

    def __init__(self, eta=0.01, epochs=2):
        self.sigma = torch.tensor(eta)
        self.epochs = epochs

    def on_epoch_begin(self, fit, epoch):
        self.sigma.mul_(0.5)
        if epoch >= self.epochs:
            return
        sigma = self.sigma
        fit.model.leave.weight.register_hook(lambda grad: grad + sigma)


class Precision(Callback):
    """The last epochs compute their loss in double precision."""

    def __init__(self, since):
        self.since = since

    def on_epoch_begin(self, fit, epoch):
        fit.loss_dtype = torch.float64 if epoch >= self.since else torch.float32


class Saliency(Callback):
    """How much each number matters, by the gradient at the inputs; once in an epoch."""

    def __init__(self):
        self.matter = 0.0

    def on_epoch_begin(self, fit, epoch):
        fit.watch_inputs = True

    def on_step_end(self, fit):
        if fit.watch_inputs:
            self.matter = 0.5 * self.matter + 0.5 * fit.numbers.grad.abs().mean(0)
        fit.watch_inputs = False


class Progress(Callback):
    def on_epoch_end(self, fit, epoch):
        print(f"epoch {epoch}: {torch.stack(fit.losses).mean():.4f}")
        fit.losses.clear()
