"""Words for a start that was warm, or was not."""

from __future__ import annotations

import posixpath
import shlex
from typing import TYPE_CHECKING

from ca_reports.costs.caches.components import ABSENT, GRAPH, INPUTS, KEPT, THREADS, TORCH, split
from ca_reports.costs.caches.settings import SettingOrigin
from ca_reports.costs.caches.starts import asked_for
from ca_reports.facts.bypassed import operation_of
from ca_reports.facts.guard_paths import readable
from ca_reports.sentences.bypasses import remedy
from ca_reports.sentences.places import in_brief, run_cwd
from ca_reports.torchlib.dynamo import JOB_VARIABLE, PROFILE
from ca_reports.words.clean import one_line, shorten
from ca_reports.words.numbers import agreeing, and_more, counted, duration, every, joined, megabytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ca_reports.costs.caches.differing import Differing
    from ca_reports.costs.caches.obstacles import Obstacle
    from ca_reports.costs.caches.settings import CompileModes, Variable
    from ca_reports.costs.caches.starts import (
        Cause,
        CompiledCode,
        ExplainedDifference,
        LookupRow,
        SameKey,
        Start,
    )
    from ca_reports.facts.bypassed import BypassKind
    from ca_reports.run.cached import CacheFileUse, CacheName
    from ca_reports.run.compiler_settings import Sizes
    from ca_reports.run.model import Compile, Frame, Run

CACHES: dict[CacheName, str] = {
    "fx": "inductor",
    "aot": "AOTAutograd",
    "dynamo": "Dynamo",
}
_WIDTH = 90
# Fields of two graphs that differ in a number alone.
_NUMBER_FIELDS = frozenset(("number", "argument", "factor", "rate"))
_WIDTH_OF_REASON = 300
# Of a long line, what is shown before the place where two part.
_BEFORE = 30
_LISTED = 3
# The caches that are off where no record says that they were not asked.
_WITHOUT_RECORD: dict[BypassKind, tuple[str, ...]] = {
    "not asked": (CACHES["aot"],),
    "all off": (CACHES["aot"], CACHES["fx"]),
}
_TURNED_OFF: frozenset[BypassKind] = frozenset(("off", *_WITHOUT_RECORD))
# What `dynamic=` was, by how sizes were taken.
_DYNAMIC: dict[Sizes, str] = {
    "dynamic": "dynamic=True",
    "static": "dynamic=False",
    "automatic": "no dynamic=",
}
_SAME_KEY = {
    "folder": "the cache was in another folder",
    "machine": "the cache was on another machine",
    "remote": "the remote cache did not have it",
    "file": "the file of `--cache` did not hold it",
    "no file": "the file of `--cache` was not used",
    "sizes": "the cached graph is for other sizes",
    "not pickled": "the earlier start could not save it",
    "not written": "the earlier start could not write it",
    "not saved": "the earlier start never saved it",
    "no backward": "the earlier start never saved it",
    "no backward before": "the earlier start never saved it",
    "no code": "torch saves none without code of Inductor's",
    "saved before": "the program saves its caches before it is compiled",
    "own file": "the file that the program loads did not hold it",
    "gone": "the entry was not in the cache folder any more",
}
# Of a file of the program's own.
_VERBS: dict[SameKey, str] = {"saved before": "Saved", "own file": "Loaded"}
_FIX_OF_OWN_FILE: dict[SameKey, str] = {
    "saved before": "call `torch.compiler.save_cache_artifacts` after the last compile, and let it "
    "write the file once more; or start by `ca run --cache FILE`, which saves at the end",
    "own file": "remove the file, which is damaged or was saved before this was compiled, and let "
    "the program save it once more after its last compile; or start by `ca run --cache FILE`",
}


def headline(start: Start) -> str:
    """Return ``Cold: 2 of 3 graphs were compiled again (14.2 s).``."""
    compiled = len(start.compiles)
    if not compiled:
        return _nothing_asked(start)
    warm, traced = start.outcomes.get("warm", 0), start.outcomes.get("traced", 0)
    saved = f", which saved {duration(start.saved)}" if start.saved else ""
    if warm == compiled:
        return f"Warm: {_of(compiled, compiled)} came from the cache{saved}."
    took = f" ({duration(start.seconds)})" if start.seconds else ""
    cold = compiled - warm - traced
    kind = "Partly warm" if warm or traced else "Cold"
    told = []
    if cold:
        told.append(f"{_of(cold, compiled)} {agreeing(cold, 'was', 'were')} compiled{took}")
    if traced:
        again = "traced again" if cold else f"traced again{took}"
        code = "its code" if traced == 1 else "their code"
        which = f"{traced:,}" if told else _of(traced, compiled)
        told.append(f"{which} {agreeing(traced, 'was', 'were')} {again}, {code} from the cache")
    if warm:
        told.append(f"{warm:,} came from the cache{saved}")
    return f"{kind}: {'; '.join(told)}."


def _nothing_asked(start: Start) -> str:
    """Say that no cache was asked, and why where inductor compiled: it asks unless told not to."""
    told = "No look-up of a cache was recorded"
    if not any(compiled.inductor for run in start.run.processes for compiled in run.compiles):
        return f"{told}."
    told += ", though inductor compiled: its caches are off. "
    return f"{told}Fix: {remedy('all off', None)}."


def _of(count: int, whole: int) -> str:
    """Return ``2 of 3 graphs``, ``both graphs``, and of a single one ``the graph``."""
    if count == whole or whole == 1:
        return every(whole, "graph")
    return f"{count:,} of {counted(whole, 'graph')}"


def cold_line(start: Start) -> str | None:
    """Say why graphs were compiled that an earlier run had, in one line; None if none were."""
    if not start.causes:
        return None
    first, *others = start.causes
    more = f", {and_more(len(others))}" if others else ""
    return (
        f"Compiled again, as the caches did not serve ({size_of(first)}): "
        f"{cause_title(first)}{more}."
    )


def compared(start: Start) -> str:
    """Say ``Compared with ca-runs/train-….``; else what to do where there is nothing to compare."""
    names = [path for run in start.earlier for path in run.paths]
    if names:
        return f"Compared with {joined(names)}.{_other_command(start)}"
    return "No earlier run of this command in ca-runs: name one to learn why graphs missed."


def _other_command(start: Start) -> str:
    """Say which command the earlier start had, if another; nothing if it is not known."""
    if len(start.earlier) != 1:
        return ""
    before, after = (_command(run) for run in (start.earlier[0], start.run))
    if not before or not after or before[0] != after[0] or before == after:
        return ""
    first, second = (
        one_line(shlex.join(arguments[1:]), _WIDTH) or "no arguments"
        for arguments in (before, after)
    )
    return (
        f" The arguments differ: {first} → {second}; where these decide what is compiled, only a "
        "start with those of before is warm."
    )


def _command(run: Run) -> tuple[str, ...]:
    """Return the command of the first process that looked anything up, its script's name alone."""
    found = next((one.argv for one in run.processes if one.cache_lookups and one.argv), ())
    return (posixpath.basename(found[0]), *found[1:]) if found else ()


def cause_title(cause: Cause) -> str:
    """Return ``cpp_runtime_thread_count: 2 → 1``."""
    if cause.same_key is not None:
        return f"Same key, and still a miss: {_SAME_KEY[cause.same_key]}"
    if cause.mode is not None:
        return f'mode of torch.compile: "{cause.mode.before}" → "{cause.mode.after}"'
    groups = [split(found.differing.name)[0] for found in cause.differs]
    first = cause.differs[0].differing
    if cause.origin.argument is not None:
        before, after = (_dynamic(compiled) for compiled in _compiled_ones(cause))
        return f"torch.compile: {before} → {after}"
    if "order" in first.fields:
        return "The same operations in another order"
    if "package" in first.fields and first.before is not None and first.after is not None:
        return "Dynamo's cache (`caching_precompile`) is on, and did not have it"
    if "name" in first.fields:
        return f"Another name of an input: {_value(first.before)} → {_value(first.after)}"
    if "renamed" in first.fields:
        return f"Other names in the same graph: {_value(first.before)} → {_value(first.after)}"
    if groups[0] == GRAPH:
        is_number = not _NUMBER_FIELDS.isdisjoint(first.fields)
        return "Another number in the graph" if is_number else "Another graph"
    if groups[0] == INPUTS:
        kind = "Dynamic sizes" if "dynamic" in first.fields else "Other inputs"
        return f"{kind}: {_listed_inputs([found.differing for found in cause.differs])}"
    told = [change(found.differing) for found in cause.differs[:_LISTED]]
    if first.name == TORCH and first.before == first.after:
        told[0] = f"{TORCH}: another build of {first.after or 'torch'}"
    if len(cause.differs) > _LISTED:
        told.append(and_more(len(cause.differs) - _LISTED))
    return "; ".join(told)


def _compiled_ones(cause: Cause) -> tuple[Compile | None, Compile | None]:
    return cause.partner.asked.compiled, cause.compiles[0].compiled


def _dynamic(compiled: Compile | None) -> str:
    sizes = None if compiled is None else compiled.settings.sizes
    return "unknown" if sizes is None else _DYNAMIC[sizes]


def change(found: Differing) -> str:
    """Return ``inductor_config[max_autotune]: False → True``."""
    if found.before is None and found.after is None:
        return f"{found.name} differs"
    before, after = (_value(found.before), _value(found.after))
    return f"{found.name}: {before} → {after}"


def _value(text: str | None) -> str:
    return ABSENT if text is None else one_line(text, _WIDTH) or "empty"


def _listed_inputs(found: Sequence[Differing]) -> str:
    """Return ``x, y: size [6, 4] → size [5, 4]; float32 → float64``."""
    named: dict[str, dict[str, None]] = {}
    for one in found:
        names = named.setdefault(f"{_value(one.before)} → {_value(one.after)}", {})
        if one.source is not None and one.source.name is not None:
            names[one_line(one.source.name, _WIDTH)] = None
    told = [_with_names(list(names), change) for change, names in named.items()]
    more = [and_more(len(told) - _LISTED)] if len(told) > _LISTED else []
    return "; ".join(told[:_LISTED] + more)


def _listed_inputs_in_order(cause: Cause) -> str:
    """Return ``self.age.weight → self.income.weight; …``: what was in a place, and what is."""
    moved = [
        f"{_value(found.differing.before)} → {_value(found.differing.after)}"
        for found in cause.differs
        if found.differing.before is not None and found.differing.after is not None
    ]
    more = [and_more(len(moved) - _LISTED)] if len(moved) > _LISTED else []
    return "; ".join(moved[:_LISTED] + more) or "their names are not in the log"


def _with_names(names: list[str], change: str) -> str:
    if not names:
        return change
    more = [and_more(len(names) - _LISTED)] if len(names) > _LISTED else []
    return f"{', '.join(names[:_LISTED] + more)}: {change}"


def cause_lines(cause: Cause) -> list[str]:
    """Return what a cause means, where it was set, and what to do: a line each."""
    lines = []
    if cause.differs:
        first = cause.differs[0].differing
        meanings = dict.fromkeys(found.differing.about.meaning for found in cause.differs)
        if cause.mode is not None:
            own = "; ".join(change(found.differing) for found in cause.differs)
            lines.append(f"A mode stands for settings of inductor: {own}.")
        elif cause.origin.argument is not None:
            own = "; ".join(change(found.differing) for found in cause.differs)
            lines.append(f"The argument stands for settings of Dynamo: {own}.")
        elif "order" in first.fields and split(first.name)[0] == INPUTS:
            lines.append(f"Input by input: {_listed_inputs_in_order(cause)}.")
        elif split(first.name)[0] == GRAPH and "renamed" not in first.fields:
            lines += graph_lines(first)
        elif "dynamic" in first.fields and (second := _second_size(cause)) is not None:
            lines.append(
                f"A second size came at this start, and in the earlier one none: {second}."
            )
        elif not first.about.is_named_by_it:
            lines.append(_sentence(joined(list(meanings)[:_LISTED])))
    elif cause.same_key == "folder":
        lines.append(f"{_folders(cause)[0]} → {_folders(cause)[1]}")
    elif cause.same_key == "machine":
        lines.append(f"{_hosts(cause)[0]} → {_hosts(cause)[1]}")
        folders = _folders(cause)
        if all(folders) and folders[0] != folders[1]:
            lines.append(f"{folders[0]} → {folders[1]}")
    elif cause.same_key == "file":
        held = _file(cause)
        lines.append(
            f"{_below(held.file, None)} held {counted(len(held.keys), 'entry')}, and "
            "none of this key."
        )
    elif cause.same_key == "no file":
        held = _file(cause)
        lines.append(f"{_below(held.file, None)}: {one_line(held.problem or '', _WIDTH)}.")
    elif cause.same_key == "not written":
        folder = f" ({found})" if (found := _folders(cause)[0]) else ""
        lines.append(
            f"Writing to the folder of the caches{folder} failed, of which torch's warnings tell."
        )
    elif cause.same_key == "remote":
        lines.append(
            "Both starts asked one: it is another server, could not be reached, or has let the "
            "entry go; torch does not say which."
        )
    elif cause.same_key == "not pickled":
        why = cause.partner.asked.lookup.unsaved or ""
        lines.append(f"Pickling it failed: {one_line(why, _WIDTH_OF_REASON)}")
    elif cause.same_key in ("no backward", "no backward before"):
        lines.append(
            "AOTAutogradCache saves a forward once its backward is compiled, and none was."
        )
    if not cause.partner.is_same_function and cause.differs:
        lines.append("Compared with the nearest graph: the earlier run compiled no such function.")
    if told := where(cause):
        lines.append(told)
    if broken := [_line(place) for place in dict.fromkeys(cause.broken_at)][:_LISTED]:
        lines.append(f"A graph break that the earlier start had not cuts it at {joined(broken)}.")
    lines.append(f"Fix: {fix(cause)}")
    return lines


def _second_size(cause: Cause) -> str | None:
    """Name what made a size dynamic at this start alone: ``dimension 0 of x, 8 → 5``."""
    earlier, compiled = _compiled_ones(cause)
    if compiled is None or not compiled.recompile_reason or earlier is None:
        return None
    if earlier.is_recompile:
        return None
    for guard in compiled.failed_guards:
        if guard.kind == "size" and guard.expected is not None and guard.actual is not None:
            return (
                f"dimension {guard.index} of {readable(guard.source)}, {guard.expected} → "
                f"{guard.actual}"
            )
    return None


def graph_lines(found: Differing) -> list[str]:
    """Return the first lines in which two graphs differ."""
    if found.line is None:
        return ["The two print alike: what differs is not in their code."]
    return [
        f"Line {found.line} of the graph is the first that differs:",
        *(f"{mark} {told}" for mark, told in zip("-+", _around(found), strict=True)),
    ]


def _around(found: Differing) -> tuple[str, str]:
    """Return the lines of two graphs from a little before the place where they part."""
    texts = ["" if text is None else one_line(text) for text in (found.before, found.after)]
    pairs = enumerate(zip(*texts, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(map(len, texts)))
    begin = max(0, same - _BEFORE)
    cut = [text if not begin else f"…{text[begin:]}" for text in texts]
    first, second = (
        _value(None) if text is None else shorten(told, _WIDTH)
        for text, told in zip((found.before, found.after), cut, strict=True)
    )
    return first, second


def set_by(origin: SettingOrigin, verb: str = "Set") -> str | None:
    """Return ``Set by OMP_NUM_THREADS: unset → 1.``; None if unknown."""
    lines = [_line(frame) for frame in origin.lines[:_LISTED]]
    shown = joined(lines) if lines else None
    if origin.variables:
        own = f"; the program sets {_it(origin)} at {shown}" if shown else ""
        return f"{verb} by {joined([_variable(found) for found in origin.variables])}{own}."
    return f"{verb} at {shown}." if shown else None


def _it(origin: SettingOrigin) -> str:
    return "it" if len(origin.variables) == 1 else "them"


def _line(frame: Frame) -> str:
    return f"{in_brief(frame)} (`{one_line(frame.code, _WIDTH)}`)"


def where(cause: Cause) -> str | None:
    """Say which line of the program, or which variable, made what differs; None if unknown."""
    written = written_at(cause.differs[0]) if cause.differs else None
    if _follows_cores(cause):
        return (
            "Set by no variable and no line that was found: as many as the cores that the process "
            "may use (`taskset`, a container's limit, a scheduler)."
        )
    verb = "Set" if cause.same_key is None else _VERBS.get(cause.same_key, "Set")
    return written or set_by(cause.origin, verb) or _called_at(cause)


def _follows_cores(cause: Cause) -> bool:
    """Return whether threads differ, and both starts recorded the variables that would say why."""
    return (
        bool(cause.differs)
        and split(cause.differs[0].differing.name)[0] == THREADS
        and not cause.origin
        and all(_folders(cause))
    )


def _called_at(cause: Cause) -> str | None:
    """Say where compiled code is called, if nothing else is known of its inputs or its operations.

    ``Called at evaluate.py:7.``
    """
    called = cause.compiles[0].called
    inputs = [
        found.differing for found in cause.differs if found.differing.about.family == "inputs"
    ]
    is_graph = any(found.differing.about.family == "graph" for found in cause.differs)
    is_own = not is_graph and all(
        one.source is not None and one.source.is_of_module for one in inputs
    )
    # The call makes no order.
    if called is None or is_own or any("order" in one.fields for one in inputs):
        return None
    return f"Called at {_line(called) if called.code else in_brief(called)}."


def written_at(found: ExplainedDifference) -> str | None:
    """Return ``Written at blocks.py:11 (`F.silu(h)`); it was `F.gelu(h)`.``; None if unknown."""
    before, after = found.written
    if after is None:
        return None if before is None else f"The earlier start had {_line(before)} there."
    was = f"; it was `{one_line(before.code, _WIDTH)}`" if before else ""
    if before is None or before.code == after.code:
        was = ""
    return f"Written at {_line(after)}{was}."


def _variable(found: Variable) -> str:
    if found.before == found.after:
        return f"{found.name}={_set(found.after)}"
    return f"{found.name}: {_set(found.before)} → {_set(found.after)}"


def _set(value: str | None) -> str:
    return "unset" if value is None else one_line(value, _WIDTH) or "empty"


def fix(cause: Cause) -> str:
    """Return the change that makes the next start hit what the earlier one compiled."""
    if cause.same_key is not None:
        return _fix_of_same_key(cause)
    first = cause.differs[0].differing
    origin = cause.origin
    group = split(first.name)[0]
    if group == THREADS and first.before is not None and not origin.lines:
        told = f"`OMP_NUM_THREADS={first.before}` for every start, as the earlier run had it"
        return f"{told}, or as many cores" if _follows_cores(cause) else told
    if origin.variables:
        told = joined([_as_before(found) for found in origin.variables])
        return f"{told}, as the earlier run had it"
    if cause.broken_at and not first.fields:
        place = in_brief(cause.broken_at[0])
        return f"leave out what breaks the graph at {place}, as the earlier run did; {KEPT}"
    if group == GRAPH and not first.fields:
        return "none, if it was meant to differ: its next start finds what this one compiled"
    if cause.mode is not None:
        return _fix_of_mode(cause.mode)
    if first.fields[:1] == ("dtype",) and first.before is not None:
        return f"`.to(torch.{first.before})` where it is made, as the earlier run had it; {KEPT}"
    if "name" in first.fields:
        return f"call it `{_value(first.before)}` again; {KEPT}"
    if "dynamic" in first.fields and _second_size(cause) is not None:
        return (
            "feed the same sizes in all starts (of a short last batch: `drop_last=True`), or "
            f"compile for any size from the first on, `dynamic=True`; {KEPT}"
        )
    is_input = group == INPUTS and first.before is not None
    if is_input and _value(first.before) == _value(first.after):
        return (
            "none is known: what differs is not in torch's text of it, such as the order of a set "
            "in a subclass's metadata, another one in each start (`PYTHONHASHSEED=0` keeps it)"
        )
    if first.about.remedy is not None:
        return first.about.remedy
    if first.about.family == "derived":
        return "none, if it was meant to differ: its next start finds what this one compiled"
    if origin.argument is not None:
        return (
            f"{_dynamic(_compiled_ones(cause)[0])} at {in_brief(origin.lines[0])}, as the earlier "
            f"run had it; {KEPT}"
        )
    names = (
        one.origin.written or one.differing.about.written or one.differing.name
        for one in cause.differs
    )
    kept = joined([f"`{name}`" for name in [*dict.fromkeys(names)][:_LISTED]])
    where = f" at {in_brief(origin.lines[0])}" if origin.lines else ""
    if first.about.left_out is not None and origin.lines:
        is_out = _value(first.before) == first.about.left_out
        back = f"leave {kept} out" if is_out else f"enter {kept}"
        return f"{back}{where}, as the earlier run did; {KEPT}"
    given = dict(first.about.given) if origin.written is not None else {}
    if len(cause.differs) > 1:
        back = f"set {kept} back{where}"
    elif first.before is None or (given and _value(first.before) not in given):
        back = f"leave {kept} out{where}, as the earlier run did"
    else:
        before = _value(first.before)
        back = f"set {kept} back to {given.get(before, before)}{where}"
    return f"{back}; {KEPT}"


def _fix_of_mode(mode: CompileModes) -> str:
    where = f" at {in_brief(mode.lines[0])}" if len(mode.lines) == 1 else " of `torch.compile`"
    return f'set `mode="{mode.before}"`{where}, as the earlier run had it; {KEPT}'


def _as_before(found: Variable) -> str:
    if found.before is None:
        return f"unset `{found.name}`"
    return f"set `{found.name}={one_line(found.before, _WIDTH)}`"


def _fix_of_same_key(cause: Cause) -> str:
    if cause.same_key == "folder":
        if cause.origin.lines and not cause.origin.variables:
            return (
                f"leave out what opens an empty cache folder at {in_brief(cause.origin.lines[0])}"
            )
        if cause.origin.lines:  # which come after what the environment says
            told = joined([_as_before(found) for found in cause.origin.variables])
            return f"{told} at {in_brief(cause.origin.lines[0])}, in every start"
        return (
            f"`TORCHINDUCTOR_CACHE_DIR={_folders(cause)[0]}` for every start; without it the "
            "folder depends on the user's name and on TMPDIR"
        )
    if cause.same_key == "machine":
        return (
            "carry the cache along: `ca run --cache FILE`, or a folder that both machines see, by "
            "`TORCHINDUCTOR_CACHE_DIR`"
        )
    if cause.same_key in ("file", "no file"):
        return _fix_of_file(cause)
    if cause.same_key == "remote":
        if cause.origin.variables:
            told = joined([_as_before(found) for found in cause.origin.variables])
            return f"{told}, as the earlier run had it"
        return (
            "let all starts reach one server (`TORCHINDUCTOR_REDIS_URL`) that keeps what it is "
            "given, or start from a file: `ca run --cache FILE`"
        )
    if cause.same_key == "sizes":
        return "let one graph serve all sizes: `torch.compile(…, dynamic=True)`"
    if cause.same_key == "not pickled":
        return (
            "keep the object that can't be pickled out of the compiled function; until then "
            "FxGraphCache spares inductor's part of each start"
        )
    if cause.same_key == "not written":
        return (
            "give the disk space and the start the right to write there, or name another folder: "
            "`TORCHINDUCTOR_CACHE_DIR`"
        )
    if cause.same_key == "not saved":
        return (
            "none: AOTAutogradCache saves a forward once its backward is compiled, which compiled "
            "autograd does elsewhere (`ca rule CA605`)"
        )
    if cause.same_key in ("saved before", "own file"):
        return _FIX_OF_OWN_FILE[cause.same_key]
    if cause.same_key == "no backward before":
        return "run a backward in the earlier start, too, where it is to make the later ones warm"
    if cause.same_key == "no code":
        return "none: each start traces it again, and has nothing to compile for it"
    if cause.same_key == "no backward":
        return "`torch.no_grad()` or `torch.inference_mode()` around a forward without a backward"
    return (
        "keep the cache folder from one start to the next: `ca run --cache FILE` carries it along"
    )


def _fix_of_file(cause: Cause) -> str:
    """Name the file that the earlier start wrote, if another; this start has written its own."""
    held, earlier = _file(cause), cause.partner.asked.process.cache_file
    told = []
    if earlier is not None and earlier.file is not None and earlier.saved_bytes is not None:
        told.append(f"give it the file that the earlier start wrote, {_below(earlier.file, None)}")
    if held.saved_bytes is not None:
        told.append("this start has put its graphs there: the next one with that file is warm")
    return "; ".join(told) or "give it a file that a start of this program wrote"


def _file(cause: Cause) -> CacheFileUse:
    held = cause.compiles[0].process.cache_file
    assert held is not None
    return held


def _folders(cause: Cause) -> tuple[str, str]:
    before, after = cause.partner.asked, cause.compiles[0].rows[0].asked
    return before.lookup.folder, after.lookup.folder


def _hosts(cause: Cause) -> tuple[str, str]:
    before, after = cause.partner.asked, cause.compiles[0].rows[0].asked
    return before.process.host or "", after.process.host or ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def size_of(cause: Cause) -> str:
    """Return ``2 graphs, 14.2 s``."""
    told = counted(len(cause.compiles), "graph")
    return f"{told}, {duration(cause.seconds)}" if cause.seconds else told


def states(compiled: CompiledCode, cache: CacheName) -> str:
    """Return ``hit``, ``miss``, ``1 hit, 1 miss``; a dash where the cache was not asked.

    ``off`` of one that is turned off.
    """
    found = [row.lookup.state for row in compiled.rows if row.lookup.cache == cache]
    if not found:
        is_off = cache != "dynamo" and (not compiled.rows or compiled.lacks_aot)
        return "off" if is_off else "–"
    counts = {state: found.count(state) for state in dict.fromkeys(found)}
    if len(counts) == 1:
        ((state, times),) = counts.items()
        return state if times == 1 else f"{times} {_several(state)}"
    return ", ".join(
        f"{times} {state if times == 1 else _several(state)}" for state, times in counts.items()
    )


def _several(state: str) -> str:
    return {"hit": "hits", "miss": "misses"}.get(state, "bypasses")


def bypasses(start: Start, since: Sequence[Run] = ()) -> list[str]:
    """Say ``AOTAutograd's cache was not asked for 2 graphs: Unsupported call_function …``.

    Without those that runs ``since`` had, too.
    """
    known = {
        obstacle
        for run in since
        for process in run.processes
        for compiled in asked_for(process)
        for obstacle in compiled.kept_out
    }
    found: dict[tuple[Obstacle, str], dict[str, set[int]]] = {}
    for at, compiled in enumerate(start.compiles):
        for obstacle, rows in compiled.kept_out.items():
            if obstacle in known:
                continue
            for cache, reason in _left_out(obstacle, rows):
                asked = found.setdefault((obstacle, reason), {})
                asked.setdefault(cache, set()).add(at)
    return [
        _bypassed(obstacle, reason, asked, start) for (obstacle, reason), asked in found.items()
    ]


def _left_out(obstacle: Obstacle, rows: Sequence[LookupRow]) -> Iterator[tuple[str, str]]:
    """Yield each cache that was not asked for a graph, with the reason: torch's, if it gave one."""
    if (caches := _WITHOUT_RECORD.get(obstacle.kind)) is not None:
        off = "they are turned off" if len(caches) > 1 else "it is turned off"
        yield from ((cache, off) for cache in caches)
        return
    for row in rows:
        # What torch says further of frozen weights follows from the first.
        lookup = rows[0].lookup if obstacle.kind == "frozen" else row.lookup
        reason = one_line(lookup.reason or "no reason given", _WIDTH_OF_REASON)
        yield CACHES[row.lookup.cache], reason


def _bypassed(obstacle: Obstacle, reason: str, asked: Mapping[str, set[int]], start: Start) -> str:
    number = counted(len(set().union(*asked.values())), "graph")
    kind, target = obstacle
    if kind == "failed":
        return f"Compiling {number} failed, so that no cache has it: {target}: {reason}"
    names = [f"{name}'s" for name in asked]
    caches = "cache was" if len(names) == 1 else "caches were"
    told = f"{joined(names)} {caches} not asked for {number}: {reason.removesuffix('.')}."
    return " ".join((told, *_remedy(obstacle, start.kept_out.get(obstacle))))


def _remedy(obstacle: Obstacle, origin: SettingOrigin | None) -> Iterator[str]:
    """Say what set or wrote what keeps graphs out of a cache, if known, and what to do."""
    is_off = obstacle.kind in _TURNED_OFF
    if origin:
        yield set_by(origin, "Set" if operation_of(*obstacle) is None else "Written") or ""
    if origin and is_off:
        is_one = len(_WITHOUT_RECORD.get(obstacle.kind, ())) < 2
        yield (
            "Fix: unset it."
            if origin.variables
            else f"Fix: leave {'it' if is_one else 'them'} on: what changes has another key, so "
            "nothing old is used."
        )
    elif (found := remedy(*obstacle)) is not None:
        yield f"Fix: {found}."


def notes(start: Start) -> list[str]:
    """Return what else is to be said of a start, a sentence or two each."""
    told = [
        *bypasses(start),
        unexplained(start),
        *of_ranks(start),
        *of_file(start),
        of_remote(start),
        of_kernels(start),
        of_profile(start),
    ]
    return [*filter(None, told)]


def unexplained(start: Start) -> str | None:
    """Say how many misses nothing explains, and why."""
    count = len(start.unexplained)
    if not count or not start.earlier:
        return None
    return (
        f"{counted(count, 'graph')} {agreeing(count, 'has', 'have')} nothing to be compared with: "
        "the earlier run compiled none of that kind, or one of the two logs has no parts of keys."
    )


def of_file(start: Start) -> list[str]:
    """Say what `ca run --cache FILE` took from the file and put there: a line each."""
    used = [one.cache_file for one in start.run.processes if one.cache_file is not None]
    if not used:
        return []
    name = _below(next((found.file for found in used if found.file), None), run_cwd(start.run))
    lines = []
    problem = next((found.problem for found in used if found.problem), None)
    if problem is not None:
        lines.append(f"Cache {name}: not used: {problem}.")
    if any(found.keys for found in used):
        lines.append(f"Cache {name}: {_taken(start)}")
    size = max((found.saved_bytes for found in used if found.saved_bytes), default=None)
    if size is not None:
        new = sum(found.new or 0 for found in used)
        gone = sum(found.gone or 0 for found in used)
        left_out = f"; {counted(gone, 'long unused entry')} left out" if gone else ""
        lines.append(
            f"Cache {name}: wrote {megabytes(size)}, {counted(new, 'new entry')}{left_out}."
        )
    return lines


def of_remote(start: Start) -> str | None:
    """Say what a remote cache had; None if none was asked."""
    asked = start.asked_remote
    if not asked:
        return None
    if not start.from_remote:
        had = "did not have it" if asked == 1 else "had none of them"
        return f"A remote cache was asked for {counted(asked, 'graph')}, and {had}."
    return f"{_sentence(_of(start.from_remote, asked))[:-1]} came from a remote cache."


def of_kernels(start: Start) -> str | None:
    """Say which Triton kernels came with graphs, and which were tuned; None if none are known."""
    known = start.tunings
    told = []
    if start.bundled:
        kernels = counted(start.bundled, "Triton kernel")
        told.append(f"{kernels} came with the graphs from the cache.")
    hits, misses = (known.get(state, []) for state in ("hit", "miss"))
    if hits:
        told.append(
            f"The best configuration of {counted(len(hits), 'Triton kernel')} was in the cache of "
            "autotuning."
        )
    if misses:
        tried = sum(kernel.configurations or 0 for kernel in misses)
        among = f" among {counted(tried, 'configuration')}" if tried else ""
        names = [one_line(kernel.name, _WIDTH) for kernel in misses[:_LISTED]]
        more = [and_more(len(misses) - _LISTED)] if len(misses) > _LISTED else []
        told.append(
            f"{counted(len(misses), 'Triton kernel')} {agreeing(len(misses), 'was', 'were')} tuned"
            f"{among}, as the cache of autotuning did not have "
            f"{agreeing(len(misses), 'it', 'them')}: {', '.join(names + more)}."
        )
    return " ".join(told) or None


def _below(file: str | None, cwd: str | None) -> str:
    base = f"{cwd}/" if cwd else ""
    return one_line((file or "file").removeprefix(base), _WIDTH)


def named_graphs(cause: Cause) -> str:
    """Say ``Graphs: forward train.py:7 (4.0 s), evaluate train.py:30 (1.2 s).``, at most three."""
    found = cause.compiles
    names = [_named(one) for one in found[:_LISTED]]
    more = [and_more(len(found) - _LISTED)] if len(found) > _LISTED else []
    return f"{'Graph' if len(found) == 1 else 'Graphs'}: {', '.join(names + more)}."


def _taken(start: Start) -> str:
    """Say ``31 of 34 graphs came from it (212.0 s saved); compiled: train.py:7 (1.2 s).``."""
    saved = f" ({duration(start.saved)} saved)" if start.saved else ""
    told = f"{start.from_file:,} of {counted(len(start.compiles), 'graph')} came from it{saved}"
    cold = [found for found in start.compiles if found.outcome != "warm"]
    if not cold:
        return f"{told}."
    names = [_named(found) for found in cold[:_LISTED]]
    more = [and_more(len(cold) - _LISTED)] if len(cold) > _LISTED else []
    return f"{told}; compiled: {', '.join(names + more)}."


def _named(found: CompiledCode) -> str:
    place = found.location
    name = found.compile_id if place is None else f"{place.function} {in_brief(place)}"
    return f"{name} ({duration(found.seconds)})" if found.seconds else name


def of_profile(start: Start) -> str | None:
    """Say what PGO would have saved at this start, and how to turn it on; None for nothing."""
    found = start.became_dynamic
    if not found:
        return None
    took = sum(compiled.seconds or 0.0 for compiled in found)
    made = f"{counted(len(found), 'recompile')} ({duration(took)}) only made a size dynamic"
    told = f"{made}{', as at each start' if start.recompiles_each_time else ''}. "
    sources = one_line(",".join(start.dynamic_sources), _WIDTH)
    variable = f'`TORCH_COMPILE_DYNAMIC_SOURCES="{sources}"`'
    others = start.of_same_source
    if others:
        places = joined([in_brief(place) for place in others[:_LISTED]])
        variable += (
            f", which goes by the name alone: what is compiled at {places} has such an input, too, "
            "and is compiled once more"
        )
    if start.had_profile:
        return (
            f"{told}PGO's profile has it, and did not know the function again: a closure over "
            "objects, or a module of `torch.nn` itself, is another one in each start. Fix: "
            f"{variable}."
        )
    if start.is_of_torchs_closure:
        other = f"Fix: {variable}. " if sources else ""
        return (
            f"{told}PGO would not know it again: what calls a module of `torch.nn` is a closure of "
            f"torch's, another one in each start. {other}By `ca run --cache FILE` its graph comes "
            "from the file."
        )
    if start.keeps_no_profile:
        origin = set_by(start.profile_off)
        return (
            f"{told}PGO, which keeps the sizes that vary for the next start, is turned off. "
            f"{origin + ' ' if origin else ''}Fix: leave `torch._dynamo.config.{PROFILE}` on, and "
            f"name the job (`{JOB_VARIABLE}=NAME`, the same for each start)."
        )
    if start.kept_profile:
        return (
            f"{made}. PGO kept which at the end of this start. Fix: none needed; the next start of "
            f"the same `{JOB_VARIABLE}` knows it, where it finds the same cache folder."
        )
    told += (
        f"PGO keeps which sizes vary: set `{JOB_VARIABLE}=NAME`, the same for each start, or "
        "use `ca run --cache FILE`."
    )
    if not sources:
        return told
    return f"{told} Without a profile: {variable}."


def of_ranks(start: Start) -> list[str]:
    """Return what the ranks of a job compiled beside each other: a line each."""
    ranks = start.ranks
    if ranks is None:
        return []
    lines = []
    if ranks.graphs:
        lines.append(
            f"{counted(ranks.processes, 'process')} compiled the same {_graphs(ranks.graphs)} at "
            f"the same time: {duration(ranks.seconds)} in all, {duration(ranks.spared)} of it for "
            "nothing. Fix: let one of them start first, or start from a file: "
            "`ca run --cache FILE`."
        )
    lines += [
        f"Among the processes, {size_of(cause)}: {cause_title(cause)}. "
        f"{told + ' ' if (told := where(cause)) else ''}Fix: {fix(cause)}."
        for cause in ranks.causes
    ]
    return lines


def _graphs(number: int) -> str:
    return "graph" if number == 1 else f"{number:,} graphs"
