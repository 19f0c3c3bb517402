"""Dynamo's recompiles: what each failed guard is about, noted while the frame is at hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from ca_engine import schema, trace
from ca_engine.compat import patches, tensors
from ca_engine.recorder.held import HeldValues
from ca_engine.recorder.stack import find_backward_call, is_in_optimizer


def watch_recompiles(begins: Callable[[], None]) -> Callable[[], None]:
    """Calls ``begins`` and writes a ``ca_guards`` record at each recompile of a frame.

    Returns the way back.
    """
    values = HeldValues()

    def recompiles(frame: Any, reasons: list[str]) -> None:
        if not trace.is_listening():
            return
        begins()
        try:
            with tensors.without_torch_functions():
                failed = values.of_reasons(reasons, frame.f_locals, frame.f_globals)
                arguments = values.of_arguments(frame.f_code, frame.f_locals)
                call = find_backward_call()
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
            "loaders": call.loaders,
            "gradients": torch.is_grad_enabled(),
            "optimizer": is_in_optimizer(),
        }
        trace.compact_artifact(schema.GUARDS_RECORD, lambda: record)

    return patches.watch_recompiles(recompiles)
