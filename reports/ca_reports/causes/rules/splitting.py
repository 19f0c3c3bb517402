"""Shared by the rules about graph breaks in a compiled forward; not a rule itself.

One finding is one line of the user's. What the break cost are the first compiles of the functions
that are left over after it, and the recompiles of these for a value that came out of that line.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.causes.findings import SplitGraph
from ca_reports.causes.rules.base import PATTERN, Match, Rule
from ca_reports.facts.evidence import Evidence
from ca_reports.facts.failures import of_compiles
from ca_reports.facts.guard_paths import guard_path
from ca_reports.program.quoted import statement
from ca_reports.program.reordering import objects_written
from ca_reports.program.stack import in_torch, is_installed, package_of
from ca_reports.program.syntax import targets_of
from ca_reports.sentences.places import in_brief, thread_named
from ca_reports.torchlib.dynamo import IGNORED, IGNORED_METHODS, REORDERED, SCALARS
from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ca_reports.causes.findings import Severity
    from ca_reports.facts.break_kinds import BreakKind
    from ca_reports.facts.forward_breaks import ForwardBreak
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.run.model import Compile, Failure, Frame

_RECOMPILES_SHOWN = 3
# A number that was compiled for once, until it is dynamic, is the break's.
AGAIN = 2
_TRUTH = expression(r"(?<![\w.])bool\(")
_GIVEN_LIST = expression(r"(?<![\w.])(\w+)\([\w.\[\]:, ]{1,80}\.tolist\(\)\)")
# Functions that need nothing but the symbols.
_OF_SIZES = ("tuple", "list", "split", "zeros", "ones", "empty", "sum", "tensor")
# Settings that hold functions, with what becomes of what those write; the others are switches.
_LEFT_OUT = "which leaves out what compiled code writes with it"
_LISTS = {
    IGNORED: _LEFT_OUT,
    IGNORED_METHODS: _LEFT_OUT,
    REORDERED: "which writes it after the graph",
}


@dataclass(frozen=True, slots=True)
class Split:
    """Words of a rule about the breaks at one line: ``what`` splits the forward (``.item()``).

    ``member`` is what a setting may name, ``option`` the setting that the fix names,
    ``argument`` what is to be passed in the call, ``function`` what Dynamo skipped.
    ``tests_number``: a branch is on a number of the graph's, and on no tensor. ``is_of_call``:
    the fix is a change of the user's call, and holds for code of others as well. ``is_note``:
    there is nothing to do.
    """

    what: str
    fix: str
    key: str = ""
    member: str = "the function"
    option: str = ""
    argument: str = ""
    function: str = ""
    tests_number: bool = False
    severity: Severity | None = None
    is_of_call: bool = False
    is_note: bool = False


class SplittingRule(Rule):
    """One kind of graph break in a forward, as `facts.forward_breaks` sorts them."""

    breaks: ClassVar[BreakKind]
    shared: ClassVar[Mapping[str, str]] = {
        "Why it costs": """\
The graph ends there. What is left becomes a function of its own: one more to compile, with
guards of its own and a call through Python in each step, and nothing is fused across the
break."""
    }

    @abstractmethod
    def split(self, found: ForwardBreak) -> Split:
        """Return what to say of the breaks at one line."""

    def matches(self, facts: ProcessFacts) -> Iterator[Match]:
        """Yield a match for each line."""
        for found in facts.forward_breaks:
            if found.kind == self.breaks and not _is_of_captured_backward(found, facts):
                yield match(facts, found, self.split(found))


def _is_of_captured_backward(found: ForwardBreak, facts: ProcessFacts) -> bool:
    """Return whether all that Dynamo left uncompiled is the call of a backward that was captured.

    Such as one of a subclass's loss: Dynamo gives up a function whose first operation ends the
    graph, and compiled autograd captures the backward all the same.
    """
    one = found.first
    is_whole = (
        one.given_up
        and bool(one.stack)
        and not (one.in_loop or one.in_operator or one.in_step or one.is_error)
    )
    line = found.line
    calls = (captured.capture.backward_call for captured in facts.captures)
    return (
        is_whole
        and line is not None
        and in_torch(one.stack[-1].file)
        and any(at is not None and (at.file, at.line) == (line.file, line.line) for at in calls)
    )


def match(facts: ProcessFacts, found: ForwardBreak, said: Split) -> Match:
    """Return the match of one line.

    What is broken in code of a library's or of torch's is only worth knowing, unless a setting
    avoids it.
    """
    fix, severity, is_note, named = said.fix, said.severity, said.is_note, said.option
    if found.owner != "user" and not said.is_of_call:
        named, option = option_for(found), setting_for(found, said.member)
        severity, is_note = (None, False) if option else ("info", True)
        fix = (
            f"set {option}"
            if option
            else (
                "nothing, unless you can leave this call out of the compiled code: the code that "
                f"breaks is {'torch' if found.owner == 'torch' else 'a library'}'s own"
            )
        )
    if named and (thread := _thread_of(found, facts)) is not None:
        fix += (
            f", where {thread_named(thread)} begins: since torch 2.12 what the main thread sets "
            "holds in no other"
        )
    ended = {one.compile_id for one in found.breaks if one.is_error}
    failures = [one for one in of_compiles(facts.failures) if _is_of(one, found, ended)]
    if ended:
        is_over = failures and all(one.outcome == "caught" for one in failures)
        severity, is_note = ("warning" if is_over else "error"), False
    return Match(
        message=f"{said.what} {_where(found)}",
        fix=fix,
        events=(*found.breaks, *followed(found), *failures),
        location=found.line,
        evidence=tuple(_evidence(facts, found)),
        key=said.key,
        detail=_detail(named, said, found.compiled),
        group="",
        count=found.count,
        chain=_chain(found),
        severity=severity,
        is_note=is_note,
        specificity=PATTERN + 5,
    )


def _is_of(failure: Failure, found: ForwardBreak, ended: Collection[str | None]) -> bool:
    """Return whether a compile ended with a break; a traceback alone does not tell which it was."""
    if failure.compile_id is not None or None not in ended:
        return failure.compile_id in ended
    return any(one.is_error and one.reason in failure.text for one in found.breaks)


def _thread_of(found: ForwardBreak, facts: ProcessFacts) -> str | None:
    """Return the thread that compiled what breaks; None for the main one, and if unknown."""
    ids = {one.compile_id for one in found.breaks}
    held = (one.held for one in facts.process.compiles if one.compile_id in ids)
    return next((one.thread for one in held if one is not None and one.thread), None)


def _detail(option: str, said: Split, compiled: Frame | None) -> SplitGraph | None:
    known = SplitGraph(option, said.argument, said.function, said.tests_number)
    return None if known == SplitGraph() else replace(known, compiled=compiled)


def followed(found: ForwardBreak) -> tuple[Compile, ...]:
    """Return the recompiles whose guard is on what came out of the line: without the break, none.

    Those for other guards, such as another batch size, have a cause of their own. So has a number
    that a function is compiled for again and again (CA716): once, until it is dynamic, is the
    break's.
    """
    by_value = Counter(one.function for one in found.made if _is_by_value(one))
    return tuple(
        one for one in found.made if not _is_by_value(one) or by_value[one.function] < AGAIN
    )


def _is_by_value(compiled: Compile) -> bool:
    return any(
        guard.kind == "value" and (path := guard_path(guard.source)).is_on_stack and not path.steps
        for guard in compiled.failed_guards
    )


def assigned(line: Frame) -> set[str]:
    """Return ``{"began"}`` of ``began = time.time()``; empty for all but what one line assigns."""
    quoted = statement(line.code)
    return {
        ast.unparse(part)
        for target in targets_of(None if quoted is None else quoted.node)
        for part in ([target] if not isinstance(target, ast.Tuple) else target.elts)
    }


def option_for(found: ForwardBreak) -> str:
    """Return what of `torch._dynamo.config` torch names for a break, if it helps; empty if not."""
    if found.option == SCALARS and (_branches(found) or _counts(found)):
        return ""
    if found.option == REORDERED and any(one.in_operator for one in found.breaks):
        return ""  # what a checkpoint's function writes ends it (measured on torch 2.13.0)
    if found.option == REORDERED and _writes_objects(found):
        return IGNORED
    return found.option or ""


def _writes_objects(found: ForwardBreak) -> bool:
    """Return whether the quoted line writes what keeps it where it is: a warning's category."""
    quoted = None if found.broken_at is None else statement(found.broken_at.code)
    return quoted is not None and bool(objects_written(quoted))


def setting_for(found: ForwardBreak, member: str = "the function") -> str | None:
    """Say how to set the setting that torch names for a break, and what becomes of what is written.

    None if none helps.
    """
    option = option_for(found)
    return with_setting(option, member) if option else None


def with_setting(option: str, member: str) -> str:
    """Return the setting of an option, with what becomes of what ``member`` writes."""
    setting = named_setting(option, member)
    return f"{setting}, {_LISTS[option]}" if option in _LISTS else setting


def named_setting(option: str, member: str) -> str:
    """Return how an option is set: true, or with ``member`` in it."""
    name = f"torch._dynamo.config.{option}"
    return f"`{name}.add({member})`" if option in _LISTS else f"`{name} = True`"


def _branches(found: ForwardBreak) -> bool:
    """Find whether a number is true or false for a branch, where a symbol breaks the graph."""
    at = found.broken_at
    return at is not None and _TRUTH.search(at.code) is not None


def _counts(found: ForwardBreak) -> bool:
    """Return whether a list of numbers goes into a function of the program's: `f(x.tolist())`.

    What it does with them in Python, such as looking them up, breaks the graph for each symbol.
    """
    at = found.broken_at
    given = None if at is None else _GIVEN_LIST.search(at.code)
    return given is not None and given[1] not in _OF_SIZES


def _where(found: ForwardBreak) -> str:
    at = found.broken_at
    function = f"`{at.function}`" if at is not None and at.function else "the compiled function"
    if at is not None and found.owner != "user":
        function += f" of {'torch' if found.owner == 'torch' else package_of(at)}"
    if any(one.is_error for one in found.breaks):
        return f"{_ended(found, function)}: with `fullgraph=True` a graph break is an error"
    given_up = any(one.given_up for one in found.breaks)
    skipped = {one.skipped.function for one in found.breaks if one.skipped is not None}
    if given_up and len(skipped) == 1:
        function = f"`{next(iter(skipped))}`"
    text = f"leaves all of {function} uncompiled" if given_up else f"splits {function}"
    if found.in_hook:
        text += ", a hook,"
    if found.caller is not None and not given_up:
        is_users = not is_installed(found.caller.file)
        text += (
            f" and `{found.caller.function}`, which calls it" if is_users else " and what calls it"
        )
    text = text.removesuffix(",")
    if any(one.in_operator for one in found.breaks):
        text += (
            ": it is in a function that is given to one of torch's, such as `checkpoint`, which is "
            "compiled whole or not at all"
        )
    elif any(one.in_loop for one in found.breaks):
        text += ": it is in a loop"
    elif any(one.in_step for one in found.breaks):
        text += ", in the middle of a training step"
    parts = []
    if found.resumed:
        parts.append(counted(len(found.resumed), "more function") + " to compile")
    guarded = sum(not one.is_refused for one in found.made)
    if guarded:
        parts.append(counted(guarded, "recompile") + " after it")
    return f"{text} ({', '.join(parts)})" if parts else text


def _ended(found: ForwardBreak, function: str) -> str:
    """Return ``in `bounded` ends the compile of `forward` ``."""
    compiled = found.caller.function if found.caller is not None else ""
    if not compiled or function == f"`{compiled}`":
        return f"ends the compile of {function}"
    is_known = found.broken_at is not None and found.broken_at.function
    return f"{f'in {function} ' if is_known else ''}ends the compile of `{compiled}`"


def _evidence(facts: ProcessFacts, found: ForwardBreak) -> Iterator[Evidence]:
    file = facts.process.file
    for one in found.breaks:
        kind = f"{one.number} {one.reason}" if one.number else one.reason
        explained = f": {one.explanation}" if one.explanation else ""
        yield Evidence(f"{one.compile_id}: {one.count} × {kind}{explained}", file)
    for hint in found.first.hints[:1]:
        yield Evidence(f"torch's hint: {hint}", file)
    for compiled in found.made[:_RECOMPILES_SHOWN]:
        yield Evidence(f"{compiled.compile_id}: {compiled.recompile_reason}", file, compiled.line)


def _chain(found: ForwardBreak) -> str | None:
    guarded = found.made
    if not guarded:
        return None
    rest = found.resumed or guarded
    return (
        f"the graph breaks{_at(found.line)} → the rest is compiled by itself "
        f"({rest[0].compile_id}) → a guard on what came out fails, and the rest is recompiled "
        f"({guarded[0].compile_id})"
    )


def _at(line: Frame | None) -> str:
    return "" if line is None else f" ({in_brief(line)})"
