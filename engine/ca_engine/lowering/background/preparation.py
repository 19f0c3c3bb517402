"""Work that a process does once, before its first miss rather than with it."""

from __future__ import annotations

import gc
from functools import cache
from importlib import import_module

import torch

from ca_engine.compat import inductor, inductor_cache, tracing


@cache
def prepare() -> None:
    """Import inductor and what tracing and loading import when they are first used.

    A second's work. Python's next search through all objects for cycles is part of it: it would
    come soon after so many imports, and takes longer than many a step.
    """
    inductor_cache.import_all()
    inductor_cache.hash_torch()
    # Not at the top: the first miss would import it, after this module.
    import_module("ca_engine.lowering.background.in_background")
    fake_mode = tracing.new_fake_mode()
    with tracing.quiet():
        example = tracing.fake_like(torch.empty(1), fake_mode)
        tracer = tracing.CallTracer(fake_mode, inductor.inductor_decompositions({})[1])
        tracer.trace(lambda tensors: [tensors[0].sigmoid()], [example])
    gc.collect()
