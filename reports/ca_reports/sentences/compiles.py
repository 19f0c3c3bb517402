"""Compiles of user code, by the functions that they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ca_reports.words.numbers import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.run.model import Compile, Frame


def function_of(compiled: Compile) -> str:
    """Return `` `forward` ``; a model where the function's name is none, as in a generator.

    Of a module of `torch.nn` that is compiled as it is, only the line of the call is the user's.
    """
    location = compiled.location
    if location is None or is_unnamed(location):
        return "a model"
    return _said(location.function, is_call=compiled.is_wrapped)


def function_of_thing(thing: GuardedThing, otherwise: str) -> str:
    """Return the function that is recompiled for ``thing``; ``otherwise`` if it has no name."""
    if not thing.function:
        return otherwise
    is_wrapped = thing.first.compiled.is_wrapped
    return _said(thing.function, is_call=is_wrapped and not thing.is_of_optimizer)


def _said(function: str, *, is_call: bool) -> str:
    return f"what `{function}` calls" if is_call else f"`{function}`"


def is_unnamed(place: Frame) -> bool:
    """Return whether what is compiled at ``place`` has no name of its own: a module's top level."""
    return place.function.startswith("<")


def are_compiled(compiles: Sequence[Compile]) -> str:
    """Return `` `forward` and 2 more functions are compiled``; ``compiles`` has at least one."""
    functions = len({compiled.code_number for compiled in compiles})
    first = function_of(compiles[0])
    if functions == 1:
        return f"{first} is compiled"
    return f"{first} and {counted(functions - 1, 'more function')} are compiled"


def shared_part(what: str) -> str:
    """Say to compile what all kinds of step have in common, and to call ``what`` outside of it."""
    return f"compile what all kinds of step share by itself, and call {what} outside of that"
