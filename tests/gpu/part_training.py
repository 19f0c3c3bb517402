"""Every small training under both engines: the same losses, gradients and captures.

Bits are equal where torch's own two runs have equal bits; elsewhere ours may differ from torch's
by no more than these two from each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.gpu.programs import FEW, FEW_ON_CPU, PROGRAMS
from tests.gpu.result import LeftOutError
from tests.gpu.trained import train

if TYPE_CHECKING:
    from tests.gpu.result import Result, Settings

BACKENDS: dict[str, dict[str, Any]] = {
    "eager": {"backend": "eager"},
    "aot_eager": {"backend": "aot_eager"},
    "inductor": {"backend": "inductor"},
    "reduce-overhead": {"mode": "reduce-overhead"},
}
SLOW = ("inductor", "reduce-overhead")
# Runs of torch's own engine beyond the first, where its two runs differ: the difference is small
# numbers' luck.
MORE_RUNS = 3


def run(settings: Settings, result: Result) -> None:
    for backend, options in BACKENDS.items():
        if not (programs := settings.share_of(backend, PROGRAMS)):
            continue
        if backend in SLOW and not settings.is_cuda:
            result.leave_out(backend, "on the CPU it says nothing of a GPU: Triton is not used")
            continue
        if backend in SLOW and not result.has_triton(backend):
            continue
        for program in programs:
            few = FEW_ON_CPU[backend] if not settings.is_cuda else FEW
            if program not in few and (
                (settings.quick and backend != "eager") or not settings.is_cuda
            ):
                continue
            compare(f"{backend}, {program}", program, settings.device, options, result)


def compare(
    name: str,
    program: str,
    device: str,
    options: dict[str, Any],
    result: Result,
    *,
    lowering: bool = False,
) -> None:
    make = PROGRAMS[program]
    try:
        theirs = train(make, device, "torch", options)
        again = train(make, device, "torch", options)
    except LeftOutError as reason:
        result.leave_out(name, str(reason))
        return
    except Exception as error:
        # Where torch itself cannot, there is nothing to compare with.
        result.leave_out(name, f"under torch's engine: {type(error).__name__}: {error}"[:300])
        return
    try:
        ours = train(make, device, "ca", options, lowering=lowering)
    except Exception as error:
        result.check(name, False, f"{type(error).__name__}: {error}"[:300])
        return
    allowed, found = theirs.difference(again), ours.difference(theirs)
    if allowed:
        runs = [train(make, device, "torch", options) for _ in range(MORE_RUNS)]
        allowed = max(allowed, *(theirs.difference(each) for each in runs))
    said = (
        "bit-equal" if found == 0 else f"differs by {found:.3g}, torch's own runs by {allowed:.3g}"
    )
    captured = f"{ours.captures} captures, torch's engine {theirs.captures}"
    skipped = f"{ours.skips} CUDA-graph skips, torch's engine {theirs.skips}"
    same = (ours.captures, ours.skips) == (theirs.captures, theirs.skips)
    result.check(name, found <= allowed and same, f"{said}; {captured}; {skipped}")
