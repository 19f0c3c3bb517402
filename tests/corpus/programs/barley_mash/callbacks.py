"""What happens at the edges of epochs and steps."""


class Callback:
    def on_epoch(self, fit, epoch):
        pass

    def on_step(self, fit, step, loss):
        pass


class Sharpen(Callback):
    def __init__(self, rate):
        self.rate = rate

    def on_step(self, fit, step, loss):
        fit.model.attention.temperature = max(0.5, 2.0 - self.rate * step)


class Reweigh(Callback):
    def __init__(self, weights):
        self.weights = weights

    def on_epoch(self, fit, epoch):
        fit.smooth_weight = self.weights[min(epoch, len(self.weights) - 1)]


class Log(Callback):
    def __init__(self, every):
        self.every, self.losses = every, []

    def on_step(self, fit, step, loss):
        self.losses.append(loss.item())
        if step % self.every == 0:
            recent = self.losses[-self.every :]
            print(f"{step:3d} {sum(recent) / len(recent):.4f} grads {fit.gradient_norm():.4f}")
