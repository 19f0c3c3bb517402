"""Torch's words about CUDA graphs that it skips, when it compiles and when compiled code runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ca_engine.compat.patches import Undo

_MODULE = "torch._inductor.cudagraph_utils"
# Loggers through which each reason goes, whether anybody reads it or not, of today and of torch
# 2.8; and how a reason begins.
_LOGGERS = ("cudagraphs_log", "perf_hint_log")
_SKIPPING = "skipping cudagraphs"


def watch(skipped: Callable[[str], None]) -> Undo | None:
    """Call ``skipped`` with each reason from now on; return the way back.

    None while inductor is not imported, or with a torch that says it elsewhere.
    """
    module = sys.modules.get(_MODULE)
    name = next((name for name in _LOGGERS if hasattr(module, name)), None)
    if module is None or name is None:
        return None
    stock = getattr(module, name)
    vars(module)[name] = _Told(stock, skipped)

    def undo() -> None:
        vars(module)[name] = stock

    return undo


class _Told:
    """A logger whose warnings are told besides."""

    def __init__(self, stock: Any, skipped: Callable[[str], None]) -> None:
        self._stock = stock
        self._skipped = skipped

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stock, name)

    def warning(self, message: object, *args: Any, **kwargs: Any) -> None:
        if isinstance(message, str) and message.startswith(_SKIPPING):
            self._skipped(message)
        self._stock.warning(message, *args, **kwargs)
