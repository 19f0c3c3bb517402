"""Teaches the controller what pulls at the line."""

import logging
from itertools import islice

import torch
from control import Controller, cosine, nudge
from wind import gusts

log = logging.getLogger(__name__)


def fly(steps=16):
    controller = Controller()
    pull = torch.compile(controller, backend="eager")
    parameters = list(controller.parameters())
    velocities = [torch.zeros_like(parameter) for parameter in parameters]
    rate = cosine(0.1, steps)
    for step, gust in enumerate(islice(gusts(), steps)):
        transform = lambda x: x.clamp(-4, 4)  # noqa: E731
        error = (transform(pull(gust)) - gust.pull).square().mean()
        gradients = torch.autograd.grad(error, parameters)
        nudge(parameters, gradients, velocities, rate(step))
        controller.landed(error.item())
        if step % 4 == 3:
            log.info("step %d: %.3f", step, controller.best)
    return controller


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(66)
    controller = fly()
    print(f"{controller.flown} flights, best {controller.best:.3f}")


if __name__ == "__main__":
    main()
