"""Formulas over the columns of a table, written as text in a configuration."""

import math

import torch

FORMULAS = {
    "ratio": "price / (area + 1.0)",
    "growth": "torch.log1p(price.abs()) * rate",
    "season": "torch.sin(2 * math.pi * month / 12.0)",
}


def parse(text, columns):
    """A function of the named columns."""
    source = f"lambda {', '.join(columns)}: {text}"
    return eval(source, {"torch": torch, "math": math})


def formula_of(text, columns):
    return torch.compile(parse(text, columns), backend="eager", fullgraph=True)
