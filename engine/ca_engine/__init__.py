"""The compiled-autograd engine of `ca` and its recorder.

Importing this package imports no torch; the functions below do when they are first used.

- ``enable(compiler_fn, dynamic=False)``, ``disable()``: switch compiled autograd;
- ``reset()``: forget what was captured;
- ``install(...)``, ``uninstall()``: our engine in place of torch's, for
  ``torch._dynamo.config.compiled_autograd`` and every other way in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ca_engine.version import __version__

if TYPE_CHECKING:
    from ca_engine.api import disable, enable, install, reset, uninstall

__all__ = ["__version__", "disable", "enable", "install", "reset", "uninstall"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from ca_engine import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
