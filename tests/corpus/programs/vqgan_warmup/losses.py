"""The losses of the autoencoder, by the names used in the configuration."""

from torch.nn import functional

LOSSES = {}


def loss(name):
    def register(function):
        LOSSES[name] = function
        return function

    return register


@loss("huber")
def reconstruction(output, target, state):
    return functional.huber_loss(output, target, delta=state.delta)


@loss("code")
def code_penalty(code, state):
    return code.square().mean() * state.code_weight


@loss("adversarial")
def adversarial(judged):
    return -judged.mean()
