"""Logs of text, one module each: ``torchlogs.py`` holds the one `TextLog` of TORCH_LOGS.

A module that is in this package is a kind of log; there is no list to add it to.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from ca_reports.logs.texts import base
from ca_reports.logs.texts.base import TextLog


@functools.cache
def all_kinds() -> tuple[type[TextLog], ...]:
    """Return every kind of text, by the name of its module."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    modules = (importlib.import_module(f"{__name__}.{name}") for name in sorted(names))
    return tuple(
        thing
        for module in modules
        if module is not base
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, TextLog)
        and thing.__module__ == module.__name__
    )
