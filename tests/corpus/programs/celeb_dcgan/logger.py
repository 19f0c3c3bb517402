"""Gradient statistics, taken now and then."""


class GradLogger:
    def __init__(self, every):
        self.every = every
        self.history = []

    def should_log(self, step):
        return step % self.every == 0

    def watch(self, image, step):
        """Keep how strongly the discriminator pulls at the generated images."""
        if self.should_log(step):
            image.retain_grad()

    def log(self, image, step):
        if self.should_log(step):
            self.history.append(image.grad.abs().mean().item())

    def summary(self):
        return " ".join(f"{value:.2e}" for value in self.history)
