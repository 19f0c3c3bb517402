"""Compiled effects, one for each style of speech."""

import enum
from types import MappingProxyType

import torch
from vocoder import bright, calm, whispered


class Style(enum.Enum):
    CALM = enum.auto()
    BRIGHT = enum.auto()
    WHISPERED = enum.auto()


def _compiled(function):
    return torch.compile(function, backend="eager", fullgraph=True)


EFFECTS = MappingProxyType(
    {
        Style.CALM: _compiled(calm),
        Style.BRIGHT: _compiled(bright),
        Style.WHISPERED: _compiled(whispered),
    }
)


def styled(samples, style):
    return EFFECTS[style](samples)
