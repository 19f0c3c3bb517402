"""Names and settings of the `nn.Module`s alive in the process.

Modules are found once by looking through the garbage collector's objects, and again only
when a backward reaches a parameter that none of the known ones owns. A user's modules are read
from their ``__dict__``: properties, ``__getattr__`` and ``named_parameters`` of theirs may do
anything.
"""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import torch

from ca_engine.compat import nn_modules
from ca_engine.recorder.identity import ByIdentity
from ca_engine.recorder.variables import held_tensors, is_plain_tensor
from ca_engine.schema import CaptureChange

# More modules and parameters than this are not looked at: a bound on the time of a miss.
MAX_STATE = 20_000
# Modules of one root, each counted under each of its paths, and how deep they are nested.
MAX_MODULES = 20_000
MAX_DEPTH = 100
# Attributes of one module that are looked at.
MAX_ATTRIBUTES = 200
# More changes than this are of no use to a reader.
MAX_CHANGES = 50
# A search through all objects takes 0.05 s in a small process and about 0.1 s more per million
# objects (measured); where parameters that no module owns are made again and again, each
# capture asks for one. So what searches take beyond the first of these limits each, in
# seconds, is bounded: to some in all, and a share of the time that has passed.
FREE_SEARCH_SECONDS = 0.1
SLOW_SEARCH_SECONDS = 2.0
SLOW_SEARCH_SHARE = 0.05

# (number of the root module, path below it, what) → value
ModuleState = Mapping[tuple[int, str, str], object]

Entry = TypeVar("Entry")
Kept = TypeVar("Kept")


class _Root(NamedTuple):
    """``prefix`` is what names of it begin with: the variable that holds it, and a dot, where
    another root has parameters of the same names, or its own begin with a number; else nothing.
    """

    number: int
    module: weakref.ref[torch.nn.Module]
    prefix: str


class _Owned(NamedTuple):
    name: str
    root: int


class LiveModules:
    """The root modules, their parameters' qualified names, and what is set on them."""

    def __init__(self) -> None:
        self._names: ByIdentity[torch.Tensor, _Owned] = ByIdentity()
        self._nameless: ByIdentity[torch.Tensor, bool] = ByIdentity()
        self._roots: list[_Root] = []
        self._next_number = 0
        self._begin = perf_counter()
        self._slow_seconds = 0.0

    def name(self, parameter: torch.Tensor) -> str | None:
        """Return the qualified name of ``parameter``; None if no live module is known to own it."""
        known = self._names.get(parameter)
        return None if known is None else known.name

    def learn(
        self,
        parameters: Sequence[torch.Tensor],
        variables: Mapping[str, torch.nn.Module] = MappingProxyType({}),
    ) -> None:
        """Look for the modules that own ``parameters``, once for each parameter.

        Two roots whose parameters have equal names are told apart by the ``variables`` that hold
        them. Known modules may have got new ones. Only for others all objects are looked through,
        unless that has taken too much of the process's time already: then a later call may.
        """
        unknown = [
            parameter
            for parameter in parameters
            if isinstance(parameter, torch.nn.Parameter)
            and self._names.get(parameter) is None
            and not self._nameless.get(parameter)
        ]
        if not unknown:
            return
        for root in self._roots:
            self._name_parameters(root)
        unknown = [parameter for parameter in unknown if self._names.get(parameter) is None]
        begin = perf_counter()
        allowed = SLOW_SEARCH_SECONDS + SLOW_SEARCH_SHARE * (begin - self._begin)
        if not unknown or self._slow_seconds > allowed:
            return
        self._find_roots(variables)
        self._slow_seconds += max(0.0, perf_counter() - begin - FREE_SEARCH_SECONDS)
        for parameter in unknown:
            if self._names.get(parameter) is None:
                self._nameless[parameter] = True

    def state(self, parameters: Iterable[torch.Tensor]) -> ModuleState:
        """Read the state of the modules that own any of ``parameters``.

        Every module's ``training``, every dropout's ``p``, every parameter's
        ``requires_grad``, and ``is``: the first path of the same parameter, its own unless
        it is tied; each under the path of the module or the parameter.
        """
        owners = {known.root for tensor in parameters if (known := self._names.get(tensor))}
        found: dict[tuple[int, str, str], object] = {}
        for number, root, prefix in self._roots:
            module = root() if number in owners else None
            if module is None:
                continue
            for path, attribute, value in _settings(module, prefix):
                if len(found) >= MAX_STATE:
                    return found
                found[number, path, attribute] = value
        return found

    def tensors(self, parameters: Iterable[torch.Tensor]) -> Iterator[tuple[str, torch.Tensor]]:
        """Read the tensors that the modules owning ``parameters`` hold besides, as ``self.state``.

        Attributes and buffers, and what is in containers among them.
        """
        owners = {known.root for tensor in parameters if (known := self._names.get(tensor))}
        for number, root, _ in self._roots:
            module = root() if number in owners else None
            if module is None:
                continue
            for _, below in _modules_below(module):
                attributes = object.__getattribute__(below, "__dict__")
                held = list(attributes.items())[:MAX_ATTRIBUTES]
                held += _entries(below, nn_modules.BUFFERS, torch.Tensor)[:MAX_ATTRIBUTES]
                for name, value in held:
                    if name in nn_modules.TABLES:
                        continue
                    if is_plain_tensor(value):
                        yield f"self.{name}", value
                    else:
                        yield from held_tensors(f"self.{name}", value)

    def _find_roots(self, variables: Mapping[str, torch.nn.Module]) -> None:
        known = {id(module): root for root in self._roots if (module := root.module()) is not None}
        modules = root_modules()
        names = {id(module): _own_names(module) for module in modules}
        times = Counter(name for own in names.values() for name in own)
        prefixes = {
            id(_unwrapped(module)): f"{variable.removeprefix('self.')}."
            for variable, module in reversed(list(variables.items()))
        }
        self._roots = []
        for module in modules:
            root = known.get(id(module))
            if root is None:
                # `0.weight` of a Sequential tells a reader as little as a name that two have.
                is_vague = any(times[name] > 1 or name[:1].isdigit() for name in names[id(module)])
                prefix = prefixes.get(id(module), "") if is_vague else ""
                root = _Root(self._next_number, weakref.ref(module), prefix)
                self._next_number += 1
            self._roots.append(root)
            self._name_parameters(root)

    def _name_parameters(self, root: _Root) -> None:
        module = root.module()
        if module is None:
            return
        for name, parameter in _parameters_below(list(_modules_below(module))):
            if self._names.get(parameter) is None:
                self._names[parameter] = _Owned(root.prefix + name, root.number)


def _own_names(root: torch.nn.Module) -> set[str]:
    return {name for name, _ in _parameters_below(list(_modules_below(root)))}


def module_tensors(root: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor, bool]]:
    """Yield the parameters and buffers of ``root`` and below it.

    With each its path after the class of ``root``, and whether it is a parameter.
    """
    kind = type(root).__name__
    for path, module in _modules_below(root):
        for table in (nn_modules.PARAMETERS, nn_modules.BUFFERS):
            for name, tensor in _entries(module, table, torch.Tensor):
                yield f"{kind}.{_join(path, name)}", tensor, table == nn_modules.PARAMETERS


def _settings(root: torch.nn.Module, prefix: str) -> Iterator[tuple[str, str, object]]:
    modules = list(_modules_below(root))
    told: set[int] = set()
    for path, module in modules:
        if id(module) in told:
            continue
        told.add(id(module))
        path = prefix + path if path else prefix.removesuffix(".") or type(root).__name__
        training = _attribute(module, "training")
        if training is not None:
            yield path, "training", _plain(training)
        if nn_modules.is_dropout(module):
            yield path, "p", _plain(_attribute(module, "p"))
    paths: dict[int, str] = {}
    for name, parameter in _parameters_below(modules):
        path = prefix + name
        yield path, "requires_grad", parameter.requires_grad
        yield path, "is", paths.setdefault(id(parameter), path)


def _plain(value: object) -> object:
    """Return ``value`` if it is plain; else its type: it would be compared, written and kept."""
    return value if type(value) in (bool, int, float, str) else type(value).__name__


def state_changes(before: ModuleState, after: ModuleState) -> list[CaptureChange]:
    """List what was set between two captures, at most `MAX_CHANGES`.

    Children of a module whose ``training`` changed alike are not listed. ``name`` is
    the path of the module or parameter, the class of a root module.
    """
    roots: dict[int, str] = {}
    changed: dict[tuple[int, str], object] = {}
    changes: list[CaptureChange] = []
    for key, value in after.items():
        number, path, attribute = key
        root = roots.setdefault(number, path)  # `_settings` begins with it
        if key not in before or before[key] == value:
            continue
        if attribute == "training":
            changed[number, path] = value
            parent = path.rpartition(".")[0] or root
            if parent != path and changed.get((number, parent)) == value:
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


def root_modules() -> list[torch.nn.Module]:
    """Return the live modules that no other module holds, in the place of a wrapper the wrapped."""
    modules = objects_of_class(torch.nn.Module)
    owned = {id(child) for module in modules for _, child in _children(module)}
    roots = [module for module in modules if id(module) not in owned]
    return list(map(_unwrapped, roots))


def _unwrapped(module: torch.nn.Module) -> torch.nn.Module:
    """Return the user's module that a wrapper such as `torch.compile`'s owns by its own name."""
    return dict(_children(module)).get(nn_modules.COMPILED, module)


def objects_of_class(base: type[Kept]) -> list[Kept]:
    """Return the live objects of ``base`` and of classes derived from it; runs no user code."""
    # Millions of objects: looking up their types is 4 times as fast as asking each what it is
    # an instance of.
    classes = _subclasses_of(base)
    try:
        known = set(classes.values())
        return [thing for thing in gc.get_objects() if type(thing) in known]
    except Exception:
        # Some class among them can't be hashed; identities always can, in twice the time.
        return [thing for thing in gc.get_objects() if id(type(thing)) in classes]


def _subclasses_of(base: type) -> dict[int, type]:
    """Return ``base`` and all classes derived from it, by their identity."""
    found = {id(base): base}
    pending = [base]
    while pending:
        derived: type
        for derived in type.__subclasses__(pending.pop()):
            if id(derived) not in found:
                found[id(derived)] = derived
                pending.append(derived)
    return found


def _modules_below(root: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """Yield ``root`` and all below it with paths, parents first; a shared one under each."""
    pending = [("", root, 0)]
    for _ in range(MAX_MODULES):
        if not pending:
            return
        path, module, depth = pending.pop()
        yield path, module
        if depth < MAX_DEPTH:
            children = reversed(_children(module))
            pending += [(_join(path, name), child, depth + 1) for name, child in children]


def _parameters_below(
    modules: Iterable[tuple[str, torch.nn.Module]],
) -> Iterator[tuple[str, torch.Tensor]]:
    for path, module in modules:
        for name, parameter in _entries(module, nn_modules.PARAMETERS, torch.Tensor):
            yield _join(path, name), parameter


def _join(path: str, name: str) -> str:
    return path if name in nn_modules.WRAPPED else f"{path}.{name}" if path else name


def _children(module: torch.nn.Module) -> list[tuple[str, torch.nn.Module]]:
    return _entries(module, nn_modules.CHILDREN, torch.nn.Module)


def _entries(module: torch.nn.Module, table: str, kind: type[Entry]) -> list[tuple[str, Entry]]:
    """Return the entries of type ``kind`` in the module's ``table``."""
    try:
        entries = list(_attribute(module, table).items())
    except Exception:  # a module that is half made, or one of a kind of its own
        return []
    return [(str(name), entry) for name, entry in entries if issubclass(type(entry), kind)]


def _attribute(module: torch.nn.Module, name: str) -> Any:
    attributes = object.__getattribute__(module, "__dict__")
    if name not in attributes and issubclass(type(module), torch.jit.ScriptModule):
        return getattr(module, name, None)  # TorchScript keeps its values in C++
    return attributes.get(name)
