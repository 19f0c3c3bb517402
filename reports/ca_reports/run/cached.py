"""Look-ups of torch's caches of compiled graphs, and the parts that their keys are made of."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ca_engine.lazy_classes import dataclass
from ca_reports.logs.fields import (
    duration,
    integer,
    mapping,
    message,
    no_entries,
    read_by,
    read_fields,
    text,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# FxGraphCache, AOTAutogradCache, and Dynamo's, which ``caching_precompile`` turns on.
CacheName = Literal["fx", "aot", "dynamo"]
CacheState = Literal["hit", "miss", "bypass"]
# Of the cache of autotuning: it had the best configuration of a kernel, the kernel was tuned, the
# kernel has one configuration only, caches are off.
TuningState = Literal["hit", "miss", "single", "off"]
GraphKind = Literal["forward", "backward", "inference"]

# Torch's name for entries of Dynamo's cache.
_FUNCTIONS = "precompile"
_IS_BACKWARD, _IS_INFERENCE = "fx_kwargs[is_backward]", "fx_kwargs[is_inference]"


class KeyPart(NamedTuple):
    """One component of a key. Two are the same where the ``digest`` is, whatever the ``text``."""

    digest: str
    text: str


class KeyDifference(NamedTuple):
    """A component that two keys do not have in common; None where one of them lacks it."""

    name: str
    before: KeyPart | None
    after: KeyPart | None


@dataclass(frozen=True, slots=True)
class KeyParts:
    """The components of a key by name: those of the process's first look-up, but some.

    Most are the same for all graphs of a process, and kept once.
    """

    first: Mapping[str, KeyPart] = field(default_factory=no_entries)
    changed: Mapping[str, KeyPart] = field(default_factory=no_entries)
    gone: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Return whether any are known."""
        return bool(self.first or self.changed)

    def get(self, name: str) -> KeyPart | None:
        """Return a component, None if the key has none of that name."""
        if name in self.changed:
            return self.changed[name]
        return None if name in self.gone else self.first.get(name)

    def names(self) -> Iterator[str]:
        """Give the names of all components."""
        for name in self.first:
            if name not in self.gone:
                yield name
        for name in self.changed:
            if name not in self.first:
                yield name

    def differences(self, after: KeyParts) -> list[KeyDifference]:
        """Return the components that differ from those of ``after``."""
        names = dict.fromkeys((*self.names(), *after.names()))
        found = (KeyDifference(name, self.get(name), after.get(name)) for name in names)
        return [
            one
            for one in found
            if one.before is None or one.after is None or one.before.digest != one.after.digest
        ]


@dataclass(frozen=True, slots=True)
class CacheLookup:
    """One look-up of a cache, for one graph.

    ``graph`` is None where the cache is asked for a forward and its backward at once. ``status`` is
    torch's word for what was found (``full_miss``, ``guard_miss``). ``reason`` is why a cache was
    not asked and ``error`` the type of that exception. ``seconds`` is how long a miss was compiled,
    ``saved`` what a hit saved by torch's account. ``folder`` and ``environment`` are those of the
    process, empty if they were not recorded. ``unsaved`` is why what a miss compiled could not be
    kept. ``bundled`` are the Triton kernels that came with what a hit had. ``line`` is that of the
    record.
    """

    process: int
    compile_id: str
    cache: CacheName
    state: CacheState
    key: str | None
    line: int
    status: str | None = None
    reason: str | None = None
    error: str | None = None
    parts: KeyParts = field(default_factory=KeyParts)
    seconds: float | None = None
    saved: float | None = None
    folder: str = ""
    environment: Mapping[str, str] = field(default_factory=no_entries)
    unsaved: str | None = None
    bundled: tuple[str, ...] = ()

    @property
    def graph(self) -> GraphKind | None:
        """Return what of a function it was asked for; None where a cache holds all at once."""
        if self.cache != "fx" or not self.parts:
            return None
        backward, inference = self.parts.get(_IS_BACKWARD), self.parts.get(_IS_INFERENCE)
        if backward is not None and backward.text == "True":
            return "backward"
        return "inference" if inference is not None and inference.text == "True" else "forward"


@dataclass(frozen=True, slots=True)
class TritonKernel:
    """A Triton kernel that a graph's code loaded, by torch's ``triton_kernel_info``.

    ``tuning`` says whether its best configuration was known, ``configurations`` among how many it
    was sought; ``seconds`` are those of compiling it. None if unknown.
    """

    compile_id: str
    name: str
    tuning: TuningState | None
    configurations: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Profile:
    """What PGO knew of sizes: ``loaded`` at the start from ``store``, or else kept at the end.

    ``dynamic_sources`` are the inputs of which it saw several sizes, as
    ``TORCH_COMPILE_DYNAMIC_SOURCES`` takes them.
    """

    loaded: bool
    store: str
    functions: int
    dynamic_sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CacheFileUse:
    """``schema.CacheFileRecord``: what a process took from the file of `--cache`, and put there.

    ``keys`` are those that the file held, of all caches. ``holds_functions``: among them are whole
    functions, of Dynamo's cache.
    """

    keys: frozenset[str]
    holds_functions: bool
    file: str | None = read_by(text)
    load_seconds: float | None = read_by(duration)
    problem: str | None = read_by(message)
    saved_bytes: int | None = read_by(integer)
    new: int | None = read_by(integer)
    gone: int | None = read_by(integer)

    @classmethod
    def from_record(cls, raw: Mapping[str, Any]) -> CacheFileUse:
        """Read the record; what is missing or of the wrong type stays None."""
        loaded = mapping(raw.get("loaded"))
        keys = frozenset(key for found in loaded.values() for key in texts(found))
        return cls(keys=keys, holds_functions=bool(loaded.get(_FUNCTIONS)), **read_fields(cls, raw))
