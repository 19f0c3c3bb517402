"""What happens around a step: each plugin may act before and after the backward."""


class Plugin:
    def before_backward(self, engine):
        pass

    def after_backward(self, engine):
        pass


class FreezePolicy(Plugin):
    """The encoder rests until the head has found its place."""

    def __init__(self, prefix, until):
        self.prefix, self.until = prefix, until

    def parameters(self, engine):
        for name, parameter in engine.model.named_parameters():
            if name.startswith(self.prefix):
                yield parameter

    def before_step(self, engine):
        for parameter in self.parameters(engine):
            parameter.requires_grad_(engine.step >= self.until)


class FeatureGradients(Plugin):
    """How strongly does the head pull at the encoder's features?"""

    def __init__(self, every):
        self.every = every
        self.record = {}

    def due(self, engine):
        return engine.step % self.every == 0

    def before_backward(self, engine):
        features = engine.model.features
        if self.due(engine) and features.requires_grad:
            features.retain_grad()

    def after_backward(self, engine):
        features = engine.model.features
        if self.due(engine) and features.requires_grad:
            self.record[engine.step] = features.grad.norm().item()


class LossTrace(Plugin):
    def __init__(self, decay=0.9):
        self.decay, self.value = decay, None

    def after_backward(self, engine):
        now = engine.loss.item()
        self.value = now if self.value is None else self.decay * self.value + (1 - self.decay) * now
