"""Forward recompiles and the backwards they brought: what CA401 and CA402 share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from ca_reports.findings import Evidence
from ca_reports.rules.structure import one_mode

if TYPE_CHECKING:
    from ca_engine.guards import Guard
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.model import Frame

_VALUES_TOLD = 5
# What a module was in and is in now, by what the guard on its `training` expected.
_MODES = {"True": ("train", "eval"), "False": ("eval", "train")}
# How Dynamo reaches submodules, parameters and buffers, and the inputs of a function.
_MEMBER = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")
_INPUT = re.compile(r"\bL\['([^']*)'\]")
# Guards that have rules of their own, which know more about them.
_OTHERS = ("size", "stride", "global_state")


@dataclass(frozen=True)
class Cascade:
    """All recompiles of one piece of user code for one guarded thing, in order."""

    recompiles: tuple[RecompileFacts, ...]

    @property
    def first(self) -> RecompileFacts:
        """The first of them."""
        return self.recompiles[0]

    @property
    def frame(self) -> str:
        """Dynamo's number of the code, ``0`` of ``0/3``."""
        return self.first.compiled.compile_id.partition("/")[0]

    @property
    def caused(self) -> tuple[CaptureFacts, ...]:
        """The captures that the recompiles made necessary, each once."""
        found = {
            caused.capture.id: caused
            for recompile in self.recompiles
            for caused in recompile.caused
            if is_consequence(caused, recompile)
        }
        return tuple(found.values())

    @property
    def location(self) -> Frame | None:
        """The line of the guard; of the first recompile whose guard still had one."""
        with_stack = [found for found in self.recompiles if found.guard.stack]
        return (with_stack or list(self.recompiles))[0].line

    @property
    def what(self) -> str:
        """The guarded thing and its values, as far as guards name them."""
        guard = self.first.guard
        if not guard.source:
            return f"guard `{guard.text}`"
        if is_mode(guard) and guard.expected in _MODES:
            before, after = _MODES[guard.expected]
            return f"`{module_of(guard)}` was switched from {before} to {after}"
        values = [found.guard.expected for found in self.recompiles if found.guard.expected]
        values = list(dict.fromkeys(values))
        if guard.kind != "value" or not values:
            return f"`{readable(guard.source)}`: {guard.text}"
        told = ", ".join(str(value) for value in values[:_VALUES_TOLD])
        then = {"True": "False", "False": "True"}.get(told, "another value")
        return f"`{readable(guard.source)}` was {told}, then {then}"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The failed guards, then the captures."""
        return (
            *(found.evidence for found in self.recompiles),
            *(found.evidence for found in self.caused),
        )

    @property
    def chain(self) -> str:
        """From the guard to the compile of the captured graph, with the ids of the first time."""
        compiled = self.first.compiled
        line = self.location
        at = f" ({PurePath(line.file).name}:{line.line})" if line is not None else ""
        parts = [
            f"guard `{self.first.guard.text}` fails{at}",
            f"the forward is recompiled ({compiled.compile_id})",
        ]
        caused = self.caused
        if caused:
            capture = caused[0].capture
            compiles = f" and compiled ({capture.compile_ids[0]})" if capture.compile_ids else ""
            parts += [
                "its AOT backward is new to compiled autograd",
                f"the backward is captured ({capture.label}){compiles}",
            ]
        return " → ".join(parts)


def is_mode(guard: Guard) -> bool:
    """Whether a guard is on a module's ``train()`` or ``eval()``."""
    return guard.source.endswith(".training")


def module_of(guard: Guard) -> str:
    """The module that a guard on its mode is about."""
    return readable(guard.source).removesuffix(".training")


def readable(source: str) -> str:
    """A guarded thing as users write it: ``model._modules['0'].training`` → ``model.0.…``."""
    return _MEMBER.sub(r".\1", _INPUT.sub(r"\1", source))


def is_consequence(capture: CaptureFacts, recompile: RecompileFacts) -> bool:
    """Whether a capture after a forward recompile came of it.

    It did if an AOT backward was replaced, or a node of the same value is another one now. A
    backend without AOT leaves eager nodes, which save what the forward was given.
    """
    if capture.aot_replaced:
        return True
    expected = recompile.guard.expected
    return expected is not None and any(
        str(change.before) == expected for change in capture.changes
    )


def cascades(facts: ProcessFacts) -> tuple[Cascade, ...]:
    """The forward recompiles of guards on values, types and flags, joined by code and guard."""
    groups: dict[tuple[str, str], list[RecompileFacts]] = {}
    for recompile in facts.forward_recompiles:
        guard = recompile.guard
        if guard.kind not in _OTHERS:
            frame = recompile.compiled.compile_id.partition("/")[0]
            groups.setdefault((frame, guard.source or guard.text), []).append(recompile)
    return tuple(Cascade(tuple(group)) for group in groups.values())


def fix_for(found: Cascade | Sequence[RecompileFacts]) -> str:
    """What to do about the guard of a forward."""
    guard = found.first.guard if isinstance(found, Cascade) else found[0].guard
    if is_mode(guard):
        return one_mode(f"`{module_of(guard)}`")
    name = f"`{readable(guard.source)}`" if guard.source else "what the guard checks"
    if guard.kind == "value":
        return (
            f"make {name} a tensor (a buffer filled in place), so that Dynamo treats it as data; "
            "or keep it constant"
        )
    if guard.kind == "requires_grad":
        return f"give {name} the same requires_grad in every step"
    if guard.kind == "dtype":
        return f"convert {name} to one dtype before the forward"
    if guard.kind == "rank":
        return f"give {name} the same number of dimensions in every step"
    if guard.kind == "type":
        return f"pass {name} as the same type in every step"
    return f"keep {name} the same in every step, or take this part out of the compiled region"
