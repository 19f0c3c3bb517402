"""Dynamo's compiles: what calls a function and with what, noted while its frame is at hand.

Of a recompile also what each failed guard is about. Of a first compile there is nothing to
explain yet: what comes later is compared with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any

import torch

from ca_engine import schema, trace
from ca_engine.compat import guard_trees, patches, tensors
from ca_engine.recorder.changed_lines import ChangedLines
from ca_engine.recorder.held import (
    HeldValues,
    compiled_module,
    is_training,
    modules_read,
)
from ca_engine.recorder.stack import (
    calling_modules,
    drops_result,
    find_backward_call,
    is_in_optimizer,
    own_module,
    users_frame,
)

# Called with the function's name, torch's reasons and what the guarded things hold now.
Named = Callable[[str, list[str], list[schema.FailedGuardRecord]], None]

# Guards that fail beside the first of a compile: where more do, the call is of another kind.
MOST_BESIDE = 4


def watch_compiles(
    recompiles: Callable[[], None],
    named: Named,
    values: HeldValues,
    lines: ChangedLines | None = None,
) -> Callable[[], None]:
    """Call ``recompiles`` at each recompile, and write a ``ca_guards`` record at each compile.

    There is none for the first compile of a captured graph. ``named`` is called for each. With
    ``lines`` the record says which line changed what a guard reads. Returns the way back.
    """

    def first(frame: Any) -> None:
        if trace.is_listening():
            note(frame, [], None)

    def again(frame: Any, reasons: list[str], root: Any) -> None:
        if trace.is_listening():
            recompiles()
            note(frame, reasons, root)

    def note(frame: Any, reasons: list[str], root: Any) -> None:
        try:
            # With the modes that are on, which guards may ask for.
            beside = [] if root is None else failing_beside(root, frame.f_locals)
            with tensors.without_torch_functions():
                failed = values.of_reasons(reasons, frame.f_locals, frame.f_globals)
                if failed:
                    told = values.of_reasons(beside, frame.f_locals, frame.f_globals)
                    failed[0]["beside"] = [
                        {"text": text, "held": one["held"]}
                        for text, one in zip(beside, told, strict=True)
                    ]
                named(frame.f_code.co_name, reasons, failed)
                call = find_backward_call()
                if call.roots and not reasons:
                    return
                if lines is not None and reasons:
                    lines.tell(frame, reasons, failed)
                elif lines is not None:
                    lines.begin(frame)
                arguments = values.of_arguments(frame.f_code, frame.f_locals)
                callers = calling_modules()
                modules = [values.number(found) for found in callers]
                own = own_module(frame.f_code, frame.f_locals) or compiled_module(
                    frame.f_code, frame.f_locals
                )
                read = modules_read(frame.f_code, frame.f_locals, frame.f_globals)
                training = is_training((*callers, own), read)
                caller = users_frame()
                dropped = caller is not None and drops_result(caller)
        except Exception:
            # A diagnosis that fails must not take the user's compile with it.
            return
        record: schema.GuardsRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "guards": failed,
            "arguments": arguments,
            "data": call.sizes if call.roots else {},
            # Without the lines' text: an argument that is written there may be a password.
            "stack": [{**frame, "code": ""} for frame in call.stack],
            "modules": modules,
            "loaders": call.loaders,
            "gradients": torch.is_grad_enabled(),
            "inference": torch.is_inference_mode_enabled(),
            "optimizer": is_in_optimizer(),
            "training": training,
            "thread": thread_name(),
            "dropped": dropped,
        }
        trace.compact_artifact(schema.GUARDS_RECORD, lambda: record)

    stop = patches.watch_compiles(first, again)

    def undo() -> None:
        stop()
        if lines is not None:
            lines.stop()

    return undo


def failing_beside(root: Any, variables: Mapping[str, Any]) -> list[str]:
    """Return what fails of an earlier compile's guards beside the first, in torch's words."""
    found: list[str] = []
    with suppress(Exception):  # what torch can't be asked leaves the rest of the record
        found.extend(islice(guard_trees.failing(root, variables), 1, 1 + MOST_BESIDE))
    return found


def thread_name() -> str | None:
    """Return the name of the thread that runs; None for the main one, and for one not Python's.

    `threading.current_thread` would make an object for the latter, which the program could see.
    """
    if threading.get_ident() == threading.main_thread().ident:
        return None
    own = threading.get_ident()
    return next((each.name for each in threading.enumerate() if each.ident == own), None)
