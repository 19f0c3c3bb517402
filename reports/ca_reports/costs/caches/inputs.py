"""Names of a graph's inputs, and which are parameters, from the parts of an AOTAutograd key."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ca_engine import schema
from ca_engine.lazy_expressions import expression
from ca_reports.costs.caches.components import AOT, GRAPH, INPUTS
from ca_reports.facts.guard_paths import guard_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.run.cached import KeyParts

_BEFORE_ARGUMENTS = "def forward(self, "
_KEPT = ("torch.nn.parameter.Parameter", "torch.nn.parameter.Buffer")
# What a source is made of, from the variable outwards: ``local_name='self'``, ``index=0``.
_STEP = expression(
    r"(local_name|global_name|member|index)=(?:'((?:[^'\\]|\\.)*)'|(\d+))|(prop=<?\w)"
)
_OF_MODULE = "self."
# As Dynamo calls a module that it compiles as it is.
_WRAPPED = "fn"
_SYMBOL = expression(r"s\d+|SymInt\(s\d+\)")
_SIZE = expression(r"torch\.Size\(\[([^\]]{0,500})\]\)")


class Input(NamedTuple):
    """One input of a graph: its ``name`` in the program, if known."""

    name: str | None
    is_parameter: bool

    @property
    def is_of_module(self) -> bool:
        """Return whether a module brings it along, and no call."""
        return self.is_parameter or (self.name or "").startswith(_OF_MODULE)


def input_of(parts: KeyParts, position: int) -> Input:
    """Return what is known of an input by its position among those of the graph."""
    names, kept = _names(parts), _parameters(parts)
    return Input(
        names[position] if position < len(names) else None,
        position in kept,
    )


def named_inputs(parts: KeyParts) -> dict[str, int] | None:
    """Return the place of each input by its name; None if not all have one of their own."""
    count = sum(name.startswith(f"{INPUTS}[") for name in parts.names())
    names = _names(parts)[:count]
    found = {name: at for at, name in enumerate(names) if name is not None}
    return found if len(found) == count else None


def renamed(before: KeyParts, after: KeyParts) -> tuple[str, str] | None:
    """Return the first two names that inputs in one place have; None if they have the same."""
    pairs = zip(_names(before), _names(after), strict=False)
    return next(
        ((one, other) for one, other in pairs if one and other and one != other),
        None,
    )


def has_dynamic_sizes(parts: KeyParts) -> bool:
    """Return whether any input has a size that is a symbol."""
    for name in parts.names():
        part = parts.get(name) if name.startswith(f"{INPUTS}[") else None
        if part is None:
            continue
        size = _SIZE.search(part.text)
        if _SYMBOL.search(size[1] if size else part.text.strip()):
            return True
    return False


def _parameters(parts: KeyParts) -> frozenset[int]:
    graph = parts.get(GRAPH)
    if graph is None:
        return frozenset()
    _, _, signature = graph.text.partition(_BEFORE_ARGUMENTS)
    arguments = signature.partition("\n")[0].removesuffix("):").split(", ")
    kinds = (argument.partition(" : ")[2] for argument in arguments)
    return frozenset(at for at, kind in enumerate(kinds) if kind in _KEPT)


def _names(parts: KeyParts) -> list[str | None]:
    config = parts.get(AOT)
    if config is None:
        return []
    whole, _, _ = config.text.partition(schema.CUT)
    begin = whole.find("[")
    return [_name(source) for source in _listed(whole[begin + 1 :])] if begin >= 0 else []


def _listed(text: str) -> Iterator[str]:
    """Give the entries of a list that begins before ``text``; one that is cut off is left out."""
    depth = begin = 0
    for at, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}" and depth:
            depth -= 1
        elif not depth and character in ",]":
            yield text[begin:at]
            begin = at + 1
            if character == "]":
                return


def _name(origin: str) -> str | None:
    """Return ``self.up.weight`` of torch's own text for where an input comes from."""
    path = ""
    for kind, word, number, is_property in _STEP.findall(origin):
        if is_property:
            return None
        if kind in ("local_name", "global_name"):
            path = word
        elif kind == "index":
            path += f"[{number}]" if number else f"['{word}']"
        else:
            path += f".{word}"
    return guard_path(path).said.removeprefix(f"{_WRAPPED}.") or None
