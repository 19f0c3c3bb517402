"""The user's part of a stack that Dynamo recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ca_reports.breaks import user_function

if TYPE_CHECKING:
    from ca_reports.model import Frame

_ENGINE_CALL = "_engine_run_backward"
_ENGINE_FILE = "torch/autograd/graph.py"


def user_frames(stack: tuple[Frame, ...], *, captured: bool) -> tuple[Frame, ...]:
    """The user's frames, outermost first.

    For the compile of a ``captured`` backward, those above the call into the autograd
    engine (``torch.autograd.graph._engine_run_backward``), without torch's own; empty if
    that call is not in the stack. Else the whole stack without torch's own frames.
    """
    package = None
    end = len(stack)
    for position, frame in enumerate(stack):
        file = frame.file.replace("\\", "/")
        if frame.function == _ENGINE_CALL and file.endswith(_ENGINE_FILE):
            package = file.removesuffix("autograd/graph.py")
            end = position
    if captured and package is None:
        return ()
    return tuple(
        replace(frame, function=user_function(frame.function))
        for frame in stack[:end]
        if not _is_torch(frame.file, package)
    )


def _is_torch(file: str, package: str | None) -> bool:
    file = file.replace("\\", "/")
    if package is not None and file.startswith(package):
        return True
    return "/site-packages/torch/" in file or "/dist-packages/torch/" in file
