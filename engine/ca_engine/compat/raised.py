"""Recognises torch's compilers, and the code that they make, in the traceback of an exception."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType

import torch

from ca_engine.tracebacks import COMPILERS_ERRORS, is_compilers_file, is_graphs_frame

__all__ = ["is_compilers_code", "is_compilers_error", "is_generated_code"]

_TORCH = str(Path(torch.__file__).parent).replace("\\", "/") + "/"
_CODE_CACHE = "torch._inductor.codecache"


def is_compilers_error(error: BaseException) -> bool:
    """Return whether Dynamo or inductor has this class of exceptions for failed compiles.

    Dynamo takes its own frames out of the traceback of some of them.
    """
    return type(error).__module__ in COMPILERS_ERRORS


def is_compilers_code(code: CodeType) -> bool:
    """Return whether ``code`` runs only while torch compiles."""
    file = code.co_filename.replace("\\", "/")
    if not file.startswith(_TORCH):
        return False
    return is_compilers_file(file.removeprefix(_TORCH))


def is_generated_code(code: CodeType) -> bool:
    """Return whether ``code`` is that of a graph: FX's own, or what inductor wrote for it.

    Or that which runs the backward of a compiled forward, and gives it what was saved for it.
    """
    if is_graphs_frame(code.co_filename.replace("\\", "/").removeprefix(_TORCH), code.co_name):
        return True
    cache = getattr(sys.modules.get(_CODE_CACHE), "PyCodeCache", None)
    modules = getattr(cache, "modules", ())
    return any(getattr(module, "__file__", None) == code.co_filename for module in modules)
