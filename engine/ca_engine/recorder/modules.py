"""Names and switches of the `nn.Module`s alive in the process.

Modules are found once by looking through the garbage collector's objects, and again only
when a backward reaches a parameter that none of the known ones owns.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from torch.nn.modules.dropout import _DropoutNd

from ca_engine.schema import CaptureChange

# More modules and parameters than this are not looked at: a bound on the time of a miss.
MAX_SWITCHES = 20_000
# More changes than this are of no use to a reader.
MAX_CHANGES = 50

# (number of the root module, path below it, what) → value
Switches = Mapping[tuple[int, str, str], object]


class _Root(NamedTuple):
    number: int
    module: weakref.ref[torch.nn.Module]


class LiveModules:
    """The root modules, their parameters' qualified names, and what can be switched on them."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[weakref.ref[torch.Tensor], str, int]] = {}
        self._nameless: set[int] = set()
        self._roots: list[_Root] = []
        self._next_number = 0

    def name(self, parameter: torch.Tensor) -> str | None:
        """The qualified name of ``parameter``; None if no live module is known to own it."""
        known = self._known(parameter)
        return None if known is None else known[1]

    def learn(self, parameters: Sequence[torch.Tensor]) -> None:
        """Looks for the modules that own ``parameters``, once for each parameter."""
        unknown = [
            parameter
            for parameter in parameters
            if isinstance(parameter, torch.nn.Parameter)
            and self._known(parameter) is None
            and id(parameter) not in self._nameless
        ]
        if not unknown:
            return
        self._find_roots()
        self._nameless |= {id(tensor) for tensor in unknown if self._known(tensor) is None}

    def switches(self, parameters: Iterable[torch.Tensor]) -> Switches:
        """What can be switched on the modules that own any of ``parameters``.

        Every module's ``training``, every dropout's ``p``, every parameter's
        ``requires_grad``, and ``is``: the first path of the same parameter, its own unless
        it is tied; each under the path of the module or the parameter.
        """
        owners = {known[2] for tensor in parameters if (known := self._known(tensor))}
        found: dict[tuple[int, str, str], object] = {}
        for number, root in self._roots:
            module = root() if number in owners else None
            if module is None:
                continue
            for path, attribute, value in _switches(module):
                if len(found) >= MAX_SWITCHES:
                    return found
                found[number, path, attribute] = value
        return found

    def _known(self, parameter: torch.Tensor) -> tuple[weakref.ref[torch.Tensor], str, int] | None:
        known = self._names.get(id(parameter))
        return None if known is None or known[0]() is not parameter else known

    def _find_roots(self) -> None:
        known = {id(module): root for root in self._roots if (module := root.module()) is not None}
        self._roots = []
        for module in _root_modules():
            root = known.get(id(module))
            if root is None:
                root = _Root(self._next_number, weakref.ref(module))
                self._next_number += 1
            self._roots.append(root)
            for name, parameter in module.named_parameters():
                if self._known(parameter) is None:
                    self._names[id(parameter)] = (weakref.ref(parameter), name, root.number)


def _switches(root: torch.nn.Module) -> Iterator[tuple[str, str, object]]:
    for path, module in root.named_modules():
        path = path or type(root).__name__
        yield path, "training", module.training
        if isinstance(module, _DropoutNd):
            yield path, "p", module.p
    paths: dict[int, str] = {}
    for path, parameter in root.named_parameters(remove_duplicate=False):
        yield path, "requires_grad", parameter.requires_grad
        yield path, "is", paths.setdefault(id(parameter), path)


def switch_changes(before: Switches, after: Switches) -> list[CaptureChange]:
    """What was switched between two captures, at most `MAX_CHANGES`.

    Children of a module whose ``training`` was switched alike are not listed. ``name`` is
    the path of the module or parameter, the class of a root module.
    """
    roots: dict[int, str] = {}
    switched: dict[tuple[int, str], object] = {}
    changes: list[CaptureChange] = []
    for key, value in after.items():
        number, path, attribute = key
        root = roots.setdefault(number, path)  # `_switches` begins with it
        if key not in before or before[key] == value:
            continue
        if attribute == "training":
            switched[number, path] = value
            parent = path.rpartition(".")[0] or root
            if parent != path and switched.get((number, parent)) == value:
                continue
        if len(changes) < MAX_CHANGES:
            changes.append(
                {
                    "index": None,
                    "name": path,
                    "attribute": attribute,
                    "before": before[key],
                    "after": value,
                }
            )
    return changes


def _root_modules() -> list[torch.nn.Module]:
    # Hundreds of thousands of objects: looking up their types is 4 times as fast as asking
    # each what it is an instance of.
    classes = _subclasses_of(torch.nn.Module)
    modules = [thing for thing in gc.get_objects() if type(thing) in classes]
    owned = {
        id(child)
        for module in modules
        for child in module.__dict__.get("_modules", {}).values()
        if child is not None
    }
    roots = [module for module in modules if id(module) not in owned]
    # Wrappers such as `torch.compile`'s own a user's module under a name of theirs.
    return [getattr(root, "_orig_mod", root) for root in roots]


def _subclasses_of(base: type) -> set[type]:
    """``base`` and all classes derived from it."""
    found = {base}
    pending = [base]
    while pending:
        derived: type
        for derived in type.__subclasses__(pending.pop()):
            if derived not in found:
                found.add(derived)
                pending.append(derived)
    return found
