"""Forward recompiles and the backwards they brought: what CA401 and CA402 share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.causes.rules.guard_advice import module_of
from ca_reports.facts.guard_paths import referring, verbatim
from ca_reports.facts.guarded_things import expected_length
from ca_reports.sentences.places import in_brief
from ca_reports.words.values import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ca_engine.guards import GuardKind
    from ca_reports.facts.events import CaptureFacts, RecompileFacts
    from ca_reports.facts.evidence import Evidence
    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts

# What a module was in and is in now, by what the guard on its `training` expected.
_MODES = {"True": ("train", "eval"), "False": ("eval", "train")}
# What of a thing its values are, by the kind of its guard.
_PROPERTIES: dict[GuardKind, str] = {
    "rank": "the number of dimensions of ",
    "dtype": "the dtype of ",
    "device": "the device of ",
    "requires_grad": "requires_grad of ",
    "dispatch_keys": "the dispatch keys of ",
    "type": "the type of ",
    "length": "the length of ",
    "keys": "the keys of ",
}


@dataclass(frozen=True)
class Cascade:
    """All recompiles of one piece of user code for one guarded thing, with what they brought."""

    thing: GuardedThing

    @property
    def frame(self) -> str:
        """Dynamo's number of the code, ``0`` of ``0/3``."""
        return self.thing.first.compiled.code_number

    @property
    def caused(self) -> tuple[CaptureFacts, ...]:
        """Return the captures that the recompiles made necessary, each once."""
        return consequences(self.thing.recompiles)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Return the failed guards, then the captures."""
        return (
            *(found.evidence for found in self.thing.recompiles),
            *(found.evidence for found in self.caused),
        )

    @property
    def chain(self) -> str:
        """From the guard to the compile of the captured graph, with the ids of the first time."""
        compiled = self.thing.first.compiled
        line = self.thing.location
        at = f" ({in_brief(line)})" if line is not None else ""
        parts = [
            f"guard `{self.thing.guard.text}` fails{at}",
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


def what_changed(thing: GuardedThing) -> str:
    """Return ``temperature: 1.0 → 0.9 → 0.8, a new value each time``."""
    guard, history, name = thing.guard, thing.history, f"`{thing.ref}`"
    text = verbatim(guard.text)
    if thing.subject == "training" and guard.expected in _MODES:
        before, after = _MODES[guard.expected]
        return f"`{module_of(thing)}` was switched from {before} to {after}"
    if thing.is_of_parameters:
        every = listed([f"`{referring(name)}`" for name in thing.sources], 3)
        return f"requires_grad of {every} changed"
    if thing.path.of_gradients and history:
        every = listed([f"`{referring(name)}`" for name in thing.sources], 3)
        return f"{every}: {history}"
    if thing.subject == "object" and thing.source:
        is_code = thing.path.attribute == "__code__"
        name = f"`{thing.path.holder.ref}`" if is_code else name
        other = f"{name} is another {'function' if is_code else 'object'}"
        return other + (" each time" if thing.times > 1 else "")
    if thing.subject == "size_condition" and history:
        return (
            f"dimension {guard.index} of {name}, for which `{text}` no longer holds, was "
            f"{history.removeprefix('… → ')}"
        )
    if thing.subject == "hooks":
        return f"the hooks of `{thing.path.hooked.ref}` come and go"
    if thing.subject == "alias":
        return f"{_and(guard.source)} are one tensor in some calls and two in others"
    if thing.subject == "duck_size" and guard.expected is None:
        return f"sizes that were equal when it was compiled differ now (`{text}`)"
    if thing.source and not history and expected_length(guard) == "0":
        return f"{name} was empty in the first call, and is not since"
    if guard.kind == "metadata" and not history:
        of_what = f"{name}, " if thing.source else ""
        return f"the metadata of {of_what}an object of a subclass of Tensor, differs"
    if not thing.source or not history:
        return f"guard `{text}`"
    if guard.kind == "metadata":
        return f"{name}, metadata of an object of a subclass of Tensor: {history}"
    kind = "length" if thing.is_counted else guard.kind
    of_what = "" if thing.subject == "mode" else _PROPERTIES.get(kind, "")
    return f"{of_what}{name}: {history}"


def _and(names: str) -> str:
    """Return `` `a` and `b` `` for ``["a", "b"]``."""
    found = re.findall(r"[\"']([^\"',]+)[\"']", names)
    return " and ".join(f"`{referring(name)}`" for name in found) or "two arguments"


def consequences(recompiles: Iterable[RecompileFacts]) -> tuple[CaptureFacts, ...]:
    """Return the captures that these forward recompiles made necessary, each once."""
    found = {
        caused.capture.id: caused
        for recompile in recompiles
        for caused in recompile.caused
        if is_consequence(caused, recompile)
    }
    return tuple(found.values())


def is_consequence(capture: CaptureFacts, recompile: RecompileFacts) -> bool:
    """Return whether a capture after a forward recompile came of it.

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
    """Join the forward recompiles for values, types and flags by code and guard."""
    return tuple(Cascade(thing) for thing in facts.guarded if thing.subject != "state")
