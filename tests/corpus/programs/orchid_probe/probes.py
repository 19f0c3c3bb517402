"""Things done to gradients, chosen by the name of the parameter."""

from fnmatch import fnmatch

PROBES = {}


class Probe:
    """Does nothing; those that do something derive from it and are known by a name."""

    def __init_subclass__(cls, named, **options):
        super().__init_subclass__(**options)
        PROBES[named] = cls

    def __init__(self, **settings):
        vars(self).update(settings)

    def __call__(self, grad):
        return grad

    def attach(self, parameter):
        parameter.register_hook(self)


class Clip(Probe, named="clip"):
    limit = 1.0

    def __call__(self, grad):
        norm = grad.norm().item()
        if norm > self.limit:
            return grad * (self.limit / norm)
        return grad


class Centre(Probe, named="centre"):
    """Gradient centralization: the mean over inputs is taken out."""

    def __call__(self, grad):
        return grad - grad.flatten(1).mean(1).view(-1, *[1] * (grad.dim() - 1))


def attach(model, plan):
    for pattern, (name, settings) in plan.items():
        probe = PROBES[name](**settings)
        for path, parameter in model.named_parameters():
            if fnmatch(path, pattern):
                probe.attach(parameter)
