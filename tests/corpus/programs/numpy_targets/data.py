"""Synthetic tokens and the records of an older experiment, which are numpy arrays."""

import numpy
import torch


def synthetic():
    inputs = torch.randn(12, 7)
    return inputs, inputs[:, :1].sin()


def recorded(seed=[0]):  # noqa: B006
    seed[0] += 1
    generator = numpy.random.default_rng(seed[0])
    inputs = generator.normal(size=(12, 7))
    return torch.from_numpy(inputs).float(), torch.from_numpy(numpy.sin(inputs[:, :1]))
