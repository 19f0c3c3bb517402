"""The compiled-autograd engine of `ca` and its recorder.

Importing this package imports no torch; the functions below do when they are first used.

- ``enable(compiler_fn, dynamic=False)``, ``disable()``: switch compiled autograd;
- ``reset()``: forget what was captured and switch it off;
- ``install(...)``, ``uninstall()``: our engine in place of torch's, for
  ``torch._dynamo.config.compiled_autograd`` and every other way in;
- ``background()``: inductor compiles in another process while the program goes on;
- ``record(path)``: write what happens where ``ca explain-recompiles`` finds it;
- ``%load_ext ca_engine``: the cell magic ``%%ca``, which records a cell of a notebook;
- ``summary()``: what was recompiled so far, in a process that goes on;
- ``step(number, epoch=…, phase=…)``: what the loop calls the backwards that follow;
- ``cache_info()``, ``clear_cache()``: the captured graphs that torch keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.steps import step
from ca_engine.version import __version__

if TYPE_CHECKING:
    from ca_engine.api import (
        CachedCapture,
        CacheInfo,
        background,
        cache_info,
        clear_cache,
        disable,
        enable,
        install,
        record,
        reset,
        summary,
        uninstall,
    )

__all__ = [
    "CacheInfo",
    "CachedCapture",
    "__version__",
    "background",
    "cache_info",
    "clear_cache",
    "disable",
    "enable",
    "install",
    "record",
    "reset",
    "step",
    "summary",
    "uninstall",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        # First: whoever waits for this import (`ca_engine.boot`) then imports of us what it
        # needs, and must not find it half done.
        import torch._dynamo  # noqa: F401

        from ca_engine import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: Any) -> None:
    """Register ``%%ca``: IPython calls this at ``%load_ext ca_engine``."""
    from ca_engine.integrations import ipython

    ipython.load(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
