"""Lists what a log cannot tell, and what to do about it. Pure functions of a ``Run``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_engine.version import RECORDED_WITH
from ca_reports.causes.rules import all_rules
from ca_reports.facts.summary import any_hit, versions
from ca_reports.sentences.captures import guard_in_short
from ca_reports.words.numbers import counted, joined
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from ca_reports.run.model import Process, Run

_ONE_CALL = (
    "What made each earlier version: for {compile} the log has one failed guard of each of them, "
    "{guards}. These are what one call did not meet, not a value for each version: what made those "
    "is in the reasons of their own compiles, which this log lacks."
)
_MOST_UNMET = 8
_MOST_FUNCTIONS = 3


@dataclass(frozen=True, slots=True)
class Limitation:
    """Something this log cannot tell: ``subject`` as a key, ``text`` why and what to do."""

    subject: str
    text: str


def limitations(run: Run) -> tuple[Limitation, ...]:
    """List what this log cannot tell, most important first, each with what to do about it."""
    found: list[Limitation] = []
    captures = run.captures
    stock = [process for process in run.processes if not process.recorded]
    is_off = run.recorded and any(not process.from_text for process in stock)
    recording = "`ca run train.py`" + (f" under {RECORDED_WITH}" if is_off else "")
    if run.recorded and not run.processes:
        found.append(
            Limitation(
                "trace",
                "No trace was written: the process ended before it used torch.compile or "
                "compiled autograd, or it was killed before the first record.",
            )
        )
    elif not captures and any_hit(run):
        found.append(
            Limitation(
                "captures",
                "What was captured: each backward hit a graph from before the recording began. "
                "Call ca_engine.clear_cache() first to have them captured again.",
            )
        )
    elif not captures and run.processes and not run.forward_only:
        found.append(Limitation("compiled_autograd", _no_captures(run)))
    if captures and any(capture.reason is None and capture.is_recapture for capture in captures):
        if any(capture.reason is not None for capture in captures):
            text = "Torch gave no reason for some of the captures."
        else:
            text = (
                "Why the backwards were recaptured: torch writes the reasons only with "
                f"TORCH_LOGS=compiled_autograd_verbose. Record with {recording}, or "
                + (
                    "set that, and give `ca` the text."
                    if is_off
                    else "set that beside TORCH_TRACE."
                )
            )
        found.append(Limitation("reasons", text))
    if captures and stock:
        found.append(
            Limitation(
                "hits",
                "How many backwards ran and how many hit: torch's own logs do not record hits. "
                f"{recording} counts them.",
            )
        )
        found.append(
            Limitation(
                "changes",
                f"Which values changed, and near which module: only {recording} records "
                "the autograd graph at a miss.",
            )
        )
        blind = [rule.code for rule in all_rules() if rule.needs_recorder]
        found.append(
            Limitation(
                "rules",
                f"Whether {', '.join(blind)} apply: these rules need what only "
                f"{recording} records. The others are less sure here.",
            )
        )
    if is_off:
        found.append(
            Limitation(
                "recorder",
                f"What ca's recorder adds: it was off, since it needs {RECORDED_WITH} "
                "(`ca doctor`). This run holds what torch itself writes.",
            )
        )
    if captures and (off := _engine_off(run)) is not None:
        found.append(Limitation("engine", off))
    found += [Limitation("versions", text) for text in _unlogged_versions(run)]
    left_out = sum(found.count for found in run.damage if found.kind == "too_many_compiles")
    if left_out:
        found.append(
            Limitation(
                "compiles",
                f"All that was compiled: {counted(left_out, 'compile')} beyond the first "
                f"{len(run.compiles):,} are in no count and no finding.",
            )
        )
    without_end = [one for one in run.processes if one.recorded and one.end is None]
    if without_end:
        over = bool(run.recorded) and all(one.end is not None for one in run.recorded)
        how = "was killed, or called os._exit" if over else "was killed or still runs"
        text = (
            f"How the run ended: the closing record is missing (the process {how}), so its last "
            "second may be missing."
        )
        if all(one.is_running for one in without_end):
            text = "What is still to come: the run goes on, and its last second may be missing."
        found.append(Limitation("end", text))
    if any(capture.autograd_truncated for capture in captures):
        found.append(
            Limitation("autograd_graph", "Some autograd graphs were too large and were cut.")
        )
    if captures and all(capture.seconds.total is None for capture in captures):
        found.append(Limitation("seconds", "What the captures cost: this log has no times."))
    return tuple(found)


def _unlogged_versions(run: Run) -> list[str]:
    """Say which versions a log has no compile of, and what one call differed from each in."""
    said = []
    for process in run.processes:
        counts = versions(process) if process.from_text else {}
        for code, (known, least) in counts.items():
            if known >= least or known != 1:
                continue
            compiled = next(
                one for one in process.compiles if one.is_recompile and one.code_number == code
            )
            unmet: dict[str, list[str]] = {}
            for guard in compiled.failed_guards:
                if guard.failed is not None and guard.text:
                    unmet.setdefault(guard_in_short(guard), []).append(guard.failed)
            if len(unmet) > 1:
                every = [f"`{guard}` ({joined(ids)})" for guard, ids in unmet.items()]
                guards = listed(every, _MOST_UNMET)
                said.append(_ONE_CALL.format(compile=compiled.compile_id, guards=guards))
    return said[:_MOST_FUNCTIONS]


def _engine_off(run: Run) -> str | None:
    """Say whose engine captured where ours was to and this torch is none that it is tested with."""
    for process in run.processes:
        if process.engine_needs is not None:
            return (
                f"ca's own engine was off: it is for torch {process.engine_needs}, and this was "
                f"torch {process.versions.get('torch', '(unknown)')}. Torch's own captured."
            )
    return None


def _calls_of_earlier_compiles(process: Process) -> int:
    """Return how many calls ran graphs of which the log has no compile."""
    logged = {compiled.compile_id for compiled in process.compiles}
    graphs = [one for one in process.graph_sizes if not one.is_eager and one.graph not in logged]
    return sum(sum(one.calls) for one in graphs)


def _no_captures(run: Run) -> str:
    if run.unread:
        places = counted(run.unread, "damaged place")
        return f"What was captured and compiled: {places} in the log could not be read."
    if calls := sum(map(_calls_of_earlier_compiles, run.processes)):
        return (
            f"No backward was captured, and {counted(calls, 'call')} of compiled code ran what was "
            "compiled before the recording began. Call torch._dynamo.reset() first to have it "
            "compiled again."
        )
    hazards = {hazard.kind for process in run.processes for hazard in process.hazards}
    if "backward_failed" in hazards:
        return "No backward was captured: torch refused to."
    errors = [process.end.error for process in run.processes if process.end is not None]
    ended = next((error for error in errors if error), None)
    if ended is not None:
        if not any(process.has_compiled_autograd for process in run.processes):
            return f"The program ended with {ended} before it called a compiled function."
        return f"No backward was captured before the program ended with {ended}."
    if "not_captured" in hazards:
        return (
            "No backward was captured: compiled autograd is on, but each backward ran outside of "
            "compiled functions."
        )
    if any(process.recorded and process.enabled is False for process in run.processes):
        return (
            "No backward was captured, and nothing that `torch.compile` returned was called: "
            "compiled autograd was not turned on; `ca run --enable` turns it on. Methods other "
            "than `forward` run uncompiled, and before torch 2.14 so does an `nn.Sequential` after "
            "its `.compile()`."
        )
    return (
        "No backward was captured: there is no compiled autograd in this log. It runs where "
        "torch._dynamo.config.compiled_autograd is True and the backward is called inside "
        "torch.compile; `ca run --enable train.py` turns it on."
    )
