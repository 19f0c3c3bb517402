"""What torch's caches write of their keys, short enough to stay in a trace.

FxGraphCache and AOTAutogradCache write with each look-up the parts that its key is made of: some
640 texts ``[HASH] name: value``, 73 KB, and the same again in two events of the timeline (torch
2.13.0). All but a few are the same for each graph of a process: they are written once, and of each
later look-up what differs from the first. A text is written once for each hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ca_engine import schema
from ca_engine.redaction import redact_arguments

# Artifacts with components; ``fx_graph_cache_hit``, …
LOOKUPS = ("fx_graph_cache_", "fx_graph_bundled_cache_", "aotautograd_cache_")
_COMPONENTS = "components"
_REASON, _TRACEBACK = "cache_bypass_reason", "cache_bypass_traceback"
_COMPONENT = re.compile(r"\[([^\]]*)\] ([^:]*): (.*)", re.DOTALL)
# Of 256 bits, these 50 are enough to tell a program's values apart.
_DIGITS = 10
# A graph of 600 nodes. It is packed to a sixth.
_LONGEST_GRAPH = 48_000
_LONGEST = 2_000
_GRAPH = "gm"
# Its last entry is the name that Dynamo's own cache gives to a graph.
_CONFIG, _END = "aot_config", 150
# AOTAutograd's settings in one pickled text, of which nobody can read the values.
_PICKLED = "autograd_config"
# Variables of the environment that decide where a cache lies and what is part of its keys.
_PREFIXES = (
    "TORCHINDUCTOR_", "TORCHDYNAMO_", "TORCH_DYNAMO_", "TORCH_COMPILE", "TORCH_DISTRIBUTED_COMPILE",
    "AOT_",
    "AOTINDUCTOR_", "INDUCTOR_", "TRITON_", "CUTLASS_", "CUTEDSL_", "FLYDSL_",
    "PARTITIONER_MEMORY_BUDGET_",
)  # fmt: skip
_VARIABLES = frozenset(
    (
        "CC", "CI", "CUDA_VISIBLE_DEVICES", "CXX", "ENABLE_HOST_SIDE_TMA",
        "ENABLE_PERSISTENT_TMA_MATMUL", "ENABLE_TEMPLATE_AUTOWS", "ENABLE_TEMPLATE_TMA_STORE",
        "ENABLE_TMA_LOAD_FOR_TEMPLATE_EPILOGUE", "FAKE_ALLOW_META", "HOME", "LNAME", "LOGNAME",
        "LOG_TLPARSE", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "PYTHONHASHSEED", "TEMP", "TMP",
        "TMPDIR", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "TORCH_CACHING_PRECOMPILE", "USER",
        "USERNAME",
    )
)  # fmt: skip


class Surroundings(NamedTuple):
    """The folder of inductor's caches, and AOTAutograd's settings by name."""

    folder: str
    settings: Mapping[str, Any]


def relevant(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that caches and their keys depend on, without values of secrets."""
    chosen = [
        f"{name}={value}"
        for name, value in environment.items()
        if name in _VARIABLES or name.startswith(_PREFIXES)
    ]
    return dict(found.split("=", 1) for found in redact_arguments(chosen) if "=" in found)


class ShortenedKeys:
    """Shortens the look-ups that one process writes into one trace."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._first: dict[str, str] = {}  # hashes of the first look-up, by name
        self._written: set[str] = set()

    def shortened(self, payload: str, surroundings: Callable[[], Surroundings]) -> str | None:
        """Return the JSON of a look-up without its components, and a packed form of them.

        Of a bypass without the traceback. None if there is nothing to shorten.
        """
        found = _decoded(payload)
        is_shorter = _leave_out_traceback(found)
        components = found.get(_COMPONENTS)
        if not isinstance(components, list) or not components:
            return json.dumps(found) if is_shorter else None
        if self._pid != os.getpid():
            self._forget()  # a forked child writes a trace of its own
        del found[_COMPONENTS]
        around = surroundings()
        parts = dict(_parts(components, around.settings))
        found[schema.PACKED_COMPONENTS] = self._packed(parts, around)
        return json.dumps(found)

    def _packed(self, parts: Mapping[str, tuple[str, str]], around: Surroundings) -> str:
        is_first = not self._first
        if is_first:
            self._first = {name: digest for name, (digest, _) in parts.items()}
        changed: list[list[str]] = []
        for name, (digest, text) in parts.items():
            is_new = digest not in self._written
            if is_first or is_new or self._first.get(name) != digest:
                changed.append([name, digest, text] if is_new else [name, digest])
            self._written.add(digest)
        packed: schema.PackedComponents = {
            "first": is_first,
            "changed": changed,
            "gone": [name for name in self._first if name not in parts],
        }
        if is_first:
            packed["folder"], packed["environment"] = around.folder, relevant(os.environ)
        written = json.dumps(packed, separators=(",", ":")).encode()
        return base64.b85encode(zlib.compress(written, 9)).decode()


def shortened_event(payload: str) -> str | None:
    """Return an event of the timeline without components and traceback; None if it has none."""
    event = _decoded(payload)
    arguments = event.get("args")
    if not isinstance(arguments, dict):
        return None
    is_shorter = _leave_out_traceback(arguments)
    if not arguments.get(_COMPONENTS):
        return json.dumps(event) if is_shorter else None
    event["args"] = {name: found for name, found in arguments.items() if name != _COMPONENTS}
    return json.dumps(event)


def _leave_out_traceback(about: dict[str, Any]) -> bool:
    """Leave out the traceback of a bypass; return whether there was one.

    Where compiling failed it is all of torch's frames and what the C++ compiler printed, twice,
    55 KB. Why a cache was not asked stands at the beginning of the reason.
    """
    if about.pop(_TRACEBACK, None) is None:
        return False
    reason = about.get(_REASON)
    if isinstance(reason, str):
        about[_REASON] = reason[:_LONGEST]
    return True


def _decoded(payload: str) -> dict[str, Any]:
    if not any(f'"{name}"' in payload for name in (_COMPONENTS, _TRACEBACK)):
        return {}
    try:
        found = json.loads(payload)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _parts(
    components: Iterable[Any], settings: Mapping[str, Any]
) -> Iterable[tuple[str, tuple[str, str]]]:
    """Give name, hash and text of each component."""
    for component in components:
        match = _COMPONENT.match(component) if isinstance(component, str) else None
        if match is None:
            continue
        digest, name, text = match.groups()
        if name == _PICKLED and settings:
            for setting, value in settings.items():
                shown = repr(value)
                own = hashlib.sha256(shown.encode()).hexdigest()
                yield f"{name}[{setting}]", (own[:_DIGITS], shown[:_LONGEST])
            continue
        if name == _CONFIG and len(text) > _LONGEST:
            text = f"{text[: _LONGEST - _END - 1]}{schema.CUT}{text[-_END:]}"
        bound = _LONGEST_GRAPH if name == _GRAPH else _LONGEST
        yield name, (digest[:_DIGITS], text[:bound])
