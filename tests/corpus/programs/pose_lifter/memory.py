"""Frees each gradient as soon as its parameter was updated."""

from functools import partial


def descend(parameter, *, optimizers):
    optimizer = optimizers[parameter]
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def update_in_backward(model, make):
    optimizers = {parameter: make([parameter]) for parameter in model.parameters()}
    hook = partial(descend, optimizers=optimizers)
    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(hook)
    return optimizers
