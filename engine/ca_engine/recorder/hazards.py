"""Backwards that are not what they look like: seen at each one, written once for each place.

A hit of compiled autograd's cache checks less than users think. Whether NaNs are looked for
and which autocast was on are no part of its key (measured on torch 2.13.0), so a graph that
was captured under other modes is run without a word. And a backward outside of every compiled
function runs in eager, although ``torch._dynamo.config.compiled_autograd`` is set.

On a hit this costs a comparison of each mode that can matter to its graph. All else (the stack,
the record) is done when something was found, and once for each kind and place.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from ca_engine import schema, trace
from ca_engine.compat import aot_regions, compiled_autograd, versions
from ca_engine.recorder.errors import describe_error, is_refusal, origin_in_captured_graph
from ca_engine.recorder.stack import (
    find_backward_call,
    frames_of_texts,
    is_users,
    user_frames_of,
)

# Places beyond these are counted, not written.
MAX_HAZARDS = 100
# Lines of a forward that one names.
MAX_LINES = 20
_SEEN = "_ca_seen"

DEVICES = ("cpu", "cuda")
# {device: dtype} of each device whose autocast is on.
Autocast = dict[str, str]

# Compilations whose autocast is remembered.
_MAX_COMPILES = 10_000


def autocast_now() -> Autocast:
    """Return the autocast that is on in this thread."""
    return {
        device: _plain_dtype(torch.get_autocast_dtype(device))
        for device in DEVICES
        if torch.is_autocast_enabled(device)
    }


class _CastApart(NamedTuple):
    """What a backward casts and eager's does not: devices with the dtype, and the user's lines."""

    devices: Autocast
    lines: list[schema.FrameRecord]

    def add(self, device: str, dtype: str, traces: Iterable[str]) -> None:
        self.devices[device] = dtype
        self.lines.extend(frames_of_texts(traces)[:MAX_LINES])


_NOTHING = _CastApart({}, [])


class Hazards:
    """The hazards of one process. ``next_step`` tells the number of the coming backward."""

    def __init__(self, next_step: Callable[[], int]) -> None:
        self._next_step = next_step
        self._counts: list[int] = []
        self._places: dict[tuple[object, ...], int] = {}
        self._left_out = 0
        self._compiled_under: dict[str, Autocast] = {}

    def forget_counts(self) -> None:
        """Forget the counts of the parent; what was compiled, a forked child has from it."""
        self._counts, self._places, self._left_out = [], {}, 0

    def totals(self) -> tuple[tuple[int, ...], int]:
        """Count each hazard by its id, and those not written."""
        return tuple(self._counts), self._left_out

    # What a capture assumes

    def compile_begins(self, compile_id: str) -> None:
        """Note the autocast of now, for which a region is traced."""
        if len(self._compiled_under) < _MAX_COMPILES:
            self._compiled_under[compile_id] = autocast_now()

    def _assumed_autocast(self, region: aot_regions.AotRegion) -> Autocast | None:
        """Return the autocast under which AOTAutograd traced a backward; None if unknown."""
        option = versions.backward_autocast_option()
        if option == "off":
            return {}
        if isinstance(option, list):
            return _autocast_of(option)
        return self._compiled_under.get(aot_regions.compile_id(region) or "")

    def _cast_apart(
        self, regions: Sequence[aot_regions.AotRegion]
    ) -> tuple[_CastApart, _CastApart]:
        """Return what is cast in backwards of ``regions`` that eager's backward does not cast.

        First where none of them runs under autocast: what a part of a forward had computed in
        another precision than its autocast's, which was on while AOTAutograd traced the backward.
        Then where they run under the autocast of their forward: what is recomputed in another
        precision, as in a checkpoint, since compiled autograd compiles that under autocast.
        """
        outside, within = _CastApart({}, []), _CastApart({}, [])
        for region in regions:
            assumed = self._assumed_autocast(region) or {}
            if not assumed:
                continue
            found = aot_regions.products(region)
            for (device, dtype), traces in found.cast.items():
                if assumed.get(device) == _plain_dtype(dtype):
                    outside.add(device, assumed[device], traces)
            for (device, dtype), traces in found.others.items():
                if device in assumed and _is_cast(dtype) and assumed[device] != _plain_dtype(dtype):
                    within.add(device, assumed[device], traces)
        return outside, within

    def watch(
        self, capture: int, *, checks_nans: bool, regions: Sequence[aot_regions.AotRegion]
    ) -> Callable[[int], None]:
        """Return a function to call with the step at each run of a captured graph.

        ``checks_nans`` is what the capture found, ``regions`` are the AOT regions in the graph.
        """
        option = versions.backward_autocast_option()
        known = [
            found for region in regions if (found := self._assumed_autocast(region)) is not None
        ]
        # Of regions that assume different things the one with the least: what harms is an
        # autocast that a region does not expect.
        assumed = min(known, key=len, default=None)
        # Forward under autocast, backward outside, is how autocast is to be used, and gives the
        # same gradients (measured), though the default option says that it assumes else: but for
        # what a part of the forward computed in another precision.
        may_be_off = option == "same_as_forward"
        outside, within = (_NOTHING, _NOTHING) if option == "off" else self._cast_apart(regions)
        expects: list[tuple[str, str | None]] = [
            (device, assumed.get(device)) for device in DEVICES if assumed is not None
        ]
        # Found once here: on a hit each of them costs more to find than to call.
        anomaly, nans = torch.is_anomaly_enabled, torch.is_anomaly_check_nan_enabled
        autocast, autocast_dtype = torch.is_autocast_enabled, torch.get_autocast_dtype

        def compare(step: int) -> None:
            if (anomaly() and nans()) is not checks_nans:
                self._report("anomaly", step, capture, then=checks_nans, now=not checks_nans)
            for device, dtype in expects:
                if autocast(device):
                    same = dtype == _plain_dtype(autocast_dtype(device))
                    apart = within if same else _NOTHING
                    if same and device not in within.devices:
                        continue
                else:
                    apart = outside if may_be_off else _NOTHING
                    if device not in apart.devices and (dtype is None or may_be_off):
                        continue
                self._report(
                    "autocast",
                    step,
                    capture,
                    then=apart.devices or assumed,
                    now=autocast_now(),
                    option=option,
                    lines=apart.lines,
                )
                return

        return compare

    # What is met

    def backward_starts_disabled(self) -> None:
        """Note a backward that starts while compiled autograd is off, wished for or not."""
        if not compiled_autograd.runs_uncaptured():
            return
        frame = sys._getframe(1)
        while frame is not None and not is_users(frame):
            frame = frame.f_back  # type: ignore[assignment]
        place = () if frame is None else (frame.f_code, frame.f_lineno)
        self._report("not_captured", self._next_step(), None, place=place)

    def error_is_handled(self, error: BaseException) -> None:
        """Note a backward that starts while ``error`` is handled, which may be another backward's.

        What torch refuses before a capture begins never comes to us. A program that falls back
        to eager then does so in its ``except``, as a rule, and the error is at hand.
        """
        if not is_refusal(error):
            return
        if getattr(error, _SEEN, False):
            return
        # On the error itself: an `id` is used again, and a reference would keep its frames.
        setattr(error, _SEEN, True)
        text = describe_error(error)
        self._report(
            "backward_failed",
            self._next_step(),
            None,
            place=(text,),
            error=text,
            origin="capture",
            stack=user_frames_of(error),
        )

    def backward_failed(self, step: int, capture: int, error: BaseException) -> None:
        """Note that the captured graph raised."""
        text, origin = describe_error(error), origin_in_captured_graph(error)
        self._report("backward_failed", step, capture, place=(text,), error=text, origin=origin)

    def _report(
        self,
        kind: schema.HazardKind,
        step: int,
        capture: int | None,
        *,
        then: object = None,
        now: object = None,
        option: object = None,
        error: str | None = None,
        origin: schema.ErrorOrigin | None = None,
        place: tuple[object, ...] = (),
        lines: list[schema.FrameRecord] | None = None,
        stack: list[schema.FrameRecord] | None = None,
    ) -> None:
        key = (kind, str(then), str(now), str(option), *place)
        known = self._places.get(key)
        if known is not None:
            self._counts[known] += 1
            return
        if len(self._counts) >= MAX_HAZARDS:
            self._left_out += 1
            return
        id = self._places[key] = len(self._counts)
        self._counts.append(1)
        if not trace.is_listening():
            return
        record: schema.HazardRecord = {
            "schema_version": schema.SCHEMA_VERSION,
            "time": time.time(),
            "id": id,
            "kind": kind,
            "step": step,
            "capture": capture,
            "then": then,
            "now": now,
            "option": option,
            "error": error,
            "error_origin": origin,
            "lines": lines or [],
            "stack": find_backward_call().stack if stack is None else stack,
        }
        trace.compact_artifact(schema.HAZARD_RECORD, lambda: record)


def _autocast_of(option: list[Mapping[str, Any]]) -> Autocast:
    """Return what keyword arguments of `torch.amp.autocast` turn on."""
    on: Autocast = {}
    for kwargs in option:
        device = str(kwargs.get("device_type"))
        if kwargs.get("enabled", True):
            dtype = kwargs.get("dtype") or torch.get_autocast_dtype(device)
            on[device] = _plain_dtype(dtype)
        else:
            on.pop(device, None)
    return on


def _is_cast(dtype: torch.dtype) -> bool:
    """Return whether autocast casts tensors of ``dtype``: all floating point but double."""
    return dtype.is_floating_point and dtype != torch.float64


def _plain_dtype(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
