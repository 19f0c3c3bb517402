"""Finds where an option of a call is set, up to the expression that a person would edit.

A call shows an option by its name, by its place, among ``**`` options, or not at all where
`functools.partial` bound it before. From there `Origins` climbs through calls, defaults,
attributes, fields, dictionaries and options of a command line. A value that a function works out of
what it is given is edited where it is called with literals: `flag("DYNAMIC", "0")`, not in `flag`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.program.syntax import (
    Definition,
    Site,
    bound_function,
    given_to,
    is_constant,
    keyword,
    last_name,
    parameters_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ca_reports.program.origins import Origin, Origins


@dataclass(frozen=True, slots=True)
class OptionSetting:
    """The setting of an option at ``site``, the expression to edit; ``call`` takes the option.

    ``is_known`` where the expression is the value, and not what it is worked out of; ``is_hidden``
    where it holds the option among others that the source does not show, and ``read_at`` is where
    it is taken out of them, at the call where nothing else does; ``is_shared`` where a parameter on
    the way decides about something else, too: `shuffle=training, drop_last=training`.
    """

    call: Site
    site: Site
    is_known: bool
    is_hidden: bool
    is_shared: bool
    read_at: Site

    @property
    def is_off(self) -> bool:
        """Return whether the option is False."""
        return is_constant(self.site.node, value=False)

    @property
    def may_be_off(self) -> bool:
        """Return whether the option is False, or worked out of what the source does not show."""
        return self.is_off or not self.is_known


class OptionOrigins:
    """The options of calls in one program, by where they are set."""

    def __init__(self, origins: Origins) -> None:
        """Climb as ``origins`` does."""
        self._origins = origins

    def of(self, call: Site, name: str, position: int | None = None) -> list[OptionSetting]:
        """Return where ``call`` has the option ``name`` from, each expression once.

        ``position`` is the option's place among the arguments without names. Empty where the
        option is left to its default.
        """
        found: dict[ast.AST, OptionSetting] = {}
        for given, parts in self._given(call, name, position):
            for origin in self._origins.of(given, parts):
                if origin.is_missing:
                    continue
                site, is_known = _edited(origin)
                shared = any(map(_is_read_elsewhere, origin.way))
                setting = OptionSetting(
                    call,
                    site,
                    is_known,
                    bool(origin.parts),
                    shared,
                    origin.whole or (call if parts else given),
                )
                found.setdefault(site.node, setting)
        return list(found.values())

    def of_all(self, calls: Iterable[Site], name: str) -> list[OptionSetting]:
        """Return where several calls have the option ``name`` from, each expression once."""
        found: dict[ast.AST, OptionSetting] = {}
        for call in calls:
            for setting in self.of(call, name):
                found.setdefault(setting.site.node, setting)
        return list(found.values())

    def _given(
        self, call: Site, name: str, position: int | None
    ) -> Iterator[tuple[Site, tuple[str, ...]]]:
        node, module = call.node, call.module
        assert isinstance(node, ast.Call)
        given = keyword(node, name)
        if given is None and position is not None:
            given = _at(node, position)
        if given is not None:
            yield Site(module, given), ()
            return
        options = [each.value for each in node.keywords if each.arg is None]
        yield from ((Site(module, each), (name,)) for each in options)
        if options:
            return
        for origin in self._origins.of(Site(module, node.func)):
            if bound_function(origin.site.node) is not None:
                yield from self._given(origin.site, name, None)


def _at(call: ast.Call, position: int) -> ast.expr | None:
    before = call.args[: position + 1]
    is_seen = len(before) > position and not any(isinstance(one, ast.Starred) for one in before)
    return before[position] if is_seen else None


def _edited(origin: Origin) -> tuple[Site, bool]:
    """Return what to edit of an origin, and whether it is the value itself.

    What a function works out is edited in the innermost call of it that is given literals only.
    """
    site = origin.site
    if isinstance(site.node, ast.Constant):
        return site, True
    scope = site.scope
    if isinstance(scope, Definition):
        for handed in reversed(origin.way):
            if isinstance(handed.node, ast.Call) and last_name(handed.node.func) == scope.name:
                return (handed, False) if _is_of_literals(handed.node) else (site, False)
    return site, False


def _is_read_elsewhere(site: Site) -> bool:
    """Return whether a parameter is read in more than one place of its function."""
    scope = site.scope
    if not isinstance(site.node, ast.Name) or not isinstance(scope, Definition):
        return False
    name = site.node.id
    is_parameter = name in parameters_of(scope)
    return is_parameter and len(site.module.bindings.reads_in(scope, name)) > 1


def _is_of_literals(call: ast.Call) -> bool:
    values = given_to(call)
    return bool(values) and all(isinstance(value, ast.Constant) for value in values)
