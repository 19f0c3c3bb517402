"""Records of torch's caches → look-ups, with components that look-ups share kept once."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import orjson

from ca_engine import schema
from ca_engine.lazy_expressions import expression
from ca_reports.logs.fields import (
    duration,
    integer,
    items,
    mapping,
    message,
    no_entries,
    text,
    texts,
    versions,
)
from ca_reports.run.cached import CacheLookup, KeyPart, KeyParts, Profile, TritonKernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ca_reports.run.cached import CacheName, CacheState, TuningState

# Artifacts by cache; each ends in the state.
_CACHES: Mapping[str, CacheName] = {
    "fx_graph_cache_": "fx",
    "fx_graph_bundled_cache_": "fx",
    "aotautograd_cache_": "aot",
    "precompile_cache_": "dynamo",
    "dynamo_cache_": "dynamo",
}
_STATES = ("hit", "miss", "bypass")
LOOKUPS = frozenset(f"{cache}{state}" for cache in _CACHES for state in _STATES)
# AOTAutogradCache has compiled a graph, and can't keep it.
NOT_SAVED = "aotautograd_cache_pickle_failure"
# PGO: torch's name of the artifact → whether it was loaded, and from where.
_PROFILES = {
    "get_local_code_state": (True, "local"),
    "get_remote_code_state": (True, "remote"),
    "get_extra_remote_code_state": (True, "remote"),
    "put_local_code_state": (False, "local"),
    "put_remote_code_state": (False, "remote"),
    "put_extra_remote_code_state": (False, "remote"),
}
PROFILES = frozenset(_PROFILES)

# The Triton kernels of a compile, by name.
KERNELS = "triton_kernel_info"
_TUNING: Mapping[str, TuningState] = {
    "hit": "hit", "miss": "miss", "only 1 config": "single", "force_disabled": "off",
}  # fmt: skip
_MAX_KERNELS = 20_000
_BUNDLED = "cached_kernel_names=["
_QUOTED = expression(r"'([^']{1,300})'")

_COMPONENT = expression(r"\[([^\]]{1,100})\] ([^:]{1,300}): (.*)", re.DOTALL)
# As our own traces shorten a hash, so that a log of torch's own can be compared with one of them.
_DIGITS = 10
_MAX_UNPACKED = 1 << 22
_MAX_PARTS = 20_000
_MAX_TEXT = 200_000
_MAX_LOOKUPS = 20_000
_MAX_PROFILES = 100
_MAX_FIELD = 100
_FUNCTION = expression(r"^\S[^\n]*:$", re.MULTILINE)
_SOURCES = expression(r'TORCH_COMPILE_DYNAMIC_SOURCES="([^"\n]*)"')


class LookupReader:
    """Takes the records of one process's caches, in order."""

    def __init__(self, *, keys: bool) -> None:
        """Without ``keys`` the components are not looked at: most commands do not need them."""
        self._keys = keys
        self._first: Mapping[str, KeyPart] = no_entries()
        self._known: dict[str, KeyPart] = {}
        self._folder = ""
        self._environment: Mapping[str, str] = no_entries()
        self._unsaved: dict[str, str] = {}  # why not, by compile
        self.lookups: list[CacheLookup] = []
        self.profiles: list[Profile] = []
        self.kernels: list[TritonKernel] = []

    def add(
        self, name: str, raw: Mapping[str, Any], compile_id: str | None, line: int
    ) -> str | None:
        """Take the record called ``name``; return what is wrong with it."""
        if len(self.lookups) >= _MAX_LOOKUPS:
            return "more look-ups of caches than are kept"
        cache, state = next(
            (_CACHES[one], name[len(one) :]) for one in _CACHES if name.startswith(one)
        )
        damage = None
        parts = KeyParts()
        if self._keys:
            try:
                parts = self._parts(raw)
            except ValueError as error:
                damage = str(error)
        saved = _seconds(raw.get("time_saved_ns"), 1e9)
        self.lookups.append(
            CacheLookup(
                process=0,
                compile_id=compile_id or "",
                cache=cache,
                state=cast("CacheState", state),
                key=text(raw.get("key")),
                line=line,
                status=text(raw.get("cache_status_detailed")),
                reason=message(raw.get("cache_bypass_reason") or raw.get("_reason")),
                error=text(raw.get("cache_bypass_exception_type")),
                parts=parts,
                seconds=_seconds(raw.get("time_taken_ns"), 1e9),
                saved=saved if saved is not None else _seconds(raw.get("time_saved_ms"), 1e3),
                folder=self._folder,
                environment=self._environment,
                bundled=_bundled(text(raw.get("triton_bundler_meta"))),
            )
        )
        self._mark_unsaved(compile_id or "")
        return damage

    def add_not_saved(self, raw: Mapping[str, Any], compile_id: str | None) -> None:
        """Take the record that what a compile made can't be kept, which names the field.

        It comes before that of its look-up where there is no backward to wait for.
        """
        why = message(raw.get("error")) or "no reason given"
        where = text(raw.get("field"))
        told = why if where is None else f"{why} (`{where[:_MAX_FIELD]}`)"
        if len(self._unsaved) < _MAX_LOOKUPS:
            self._unsaved[compile_id or ""] = told
            self._mark_unsaved(compile_id or "")

    def _mark_unsaved(self, compile_id: str) -> None:
        why = self._unsaved.get(compile_id)
        if why is None:
            return
        for position in reversed(range(len(self.lookups))):
            found = self.lookups[position]
            if (found.compile_id, found.cache, found.state) == (compile_id, "aot", "miss"):
                self.lookups[position] = replace(found, unsaved=why)
                return

    def add_kernels(self, raw: Mapping[str, Any], compile_id: str | None) -> None:
        """Take the record of the Triton kernels that the code of a graph loaded."""
        for name, about in raw.items():
            if len(self.kernels) >= _MAX_KERNELS:
                return
            found = mapping(about)
            self.kernels.append(
                TritonKernel(
                    compile_id or "",
                    name[:_MAX_FIELD],
                    _TUNING.get(text(found.get("autotune_cache_state")) or ""),
                    integer(found.get("num_configs")),
                    _seconds(found.get("compile_time_us"), 1e6),
                )
            )

    def add_profile(self, name: str, rendered: str) -> None:
        """Take what PGO loaded or kept, as torch writes it for readers."""
        loaded, store = _PROFILES[name]
        sources = _SOURCES.search(rendered)
        if len(self.profiles) < _MAX_PROFILES:
            self.profiles.append(
                Profile(
                    loaded,
                    store,
                    len(_FUNCTION.findall(rendered)),
                    tuple(filter(None, sources[1].split(","))) if sources else (),
                )
            )

    def _parts(self, raw: Mapping[str, Any]) -> KeyParts:
        packed = raw.get(schema.PACKED_COMPONENTS)
        if packed is not None:
            return self._of_packed(_unpacked(packed))
        found = dict(self._of_torch(items(raw.get("components"))))
        if not self._first:
            self._first = found
            return KeyParts(self._first)
        changed = {name: part for name, part in found.items() if self._first.get(name) != part}
        return KeyParts(self._first, changed, frozenset(self._first.keys() - found.keys()))

    def _of_torch(self, components: list[Any]) -> Iterator[tuple[str, KeyPart]]:
        for component in components[:_MAX_PARTS]:
            match = _COMPONENT.match(component) if isinstance(component, str) else None
            if match is not None:
                digest, name, shown = match.groups()
                yield name, self._part(digest[:_DIGITS], shown)

    def _of_packed(self, packed: Mapping[str, Any]) -> KeyParts:
        changed = {}
        for entry in items(packed.get("changed"))[:_MAX_PARTS]:
            match entry:
                case [str(name), str(digest)]:
                    changed[name] = self._known.get(digest) or KeyPart(digest, "")
                case [str(name), str(digest), str(shown)]:
                    changed[name] = self._part(digest, shown)
                case _:
                    raise ValueError("components of a key that are none")
        if packed.get("first") is True:
            self._first = changed
            self._folder = text(packed.get("folder")) or ""
            self._environment = versions(packed.get("environment"))
            return KeyParts(self._first)
        return KeyParts(self._first, changed, frozenset(texts(packed.get("gone"))))

    def _part(self, digest: str, shown: str) -> KeyPart:
        known = self._known.get(digest)
        if known is None or known.text != shown:
            known = self._known[digest] = KeyPart(digest, shown[:_MAX_TEXT])
        return known


def _unpacked(packed: object) -> dict[str, Any]:
    """Decode components as our traces have them. Raises ValueError for anything else."""
    if not isinstance(packed, str):
        raise ValueError("packed components that are no text")
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(base64.b85decode(packed), _MAX_UNPACKED)
        if not unpacker.eof:
            raise ValueError("packed components that are torn, or of more than 4 MB")
        return mapping(orjson.loads(data))
    except (zlib.error, binascii.Error, orjson.JSONDecodeError) as error:
        raise ValueError(f"packed components: {error}") from None


def _bundled(metadata: str | None) -> tuple[str, ...]:
    """Return the kernels in ``TritonBundlerMetadata(cached_kernel_names=['triton_poi_0'], …)``."""
    _, _, found = (metadata or "").partition(_BUNDLED)
    return tuple(_QUOTED.findall(found.partition("]")[0]))


def _seconds(value: object, per_second: float) -> float | None:
    if type(value) is float:
        return duration(value / per_second)
    found = integer(value)
    return None if found is None else duration(found / per_second)
