"""Settings of Dynamo's that were in force at a compile, as torch's own metrics have them.

Dynamo's configuration is of each thread since torch 2.12, and `torch.compile` overrides it by its
arguments: what a script sets in one place need not hold where something is compiled.
"""

from __future__ import annotations

import json
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.logs.fields import mapping, no_entries
from ca_reports.torchlib.dynamo import OF_GRAPHS, OF_SIZES

if TYPE_CHECKING:
    from collections.abc import Mapping

# By ``dynamic=True`` Dynamo takes each size as one that varies, by ``dynamic=False`` none.
Sizes = Literal["dynamic", "automatic", "static"]
# The whole configuration is 10 KB of JSON, the same in nearly every compile of a run.
_KNOWN = 64
_LONGEST = 200
_AUTOMATIC = expression(r'"automatic_dynamic_shapes": (true|false)')
_STATIC_FIRST = expression(r'"assume_static_by_default": (true|false)')
_PROFILE = expression(r'"automatic_dynamic_local_pgo": (true|false)')
# Up to torch 2.5 it was called cache_size_limit.
_LIMIT = expression(r'"(?:recompile|cache_size)_limit": (\d{1,9})\b')


@dataclass(frozen=True, slots=True)
class CompilerSettings:
    """What was in force at one compile; None where the log does not say.

    ``sizes`` is how sizes of inputs are taken: ``static`` is ``dynamic=False``, ``dynamic`` is
    ``dynamic=True``, and ``automatic`` makes a size dynamic at its second value. ``of_graphs`` are
    the values, as Python writes them, of all settings that decide what graphs are.
    ``keeps_profile``: PGO is on, which keeps the sizes that vary for a job that has a name.
    """

    sizes: Sizes | None = None
    recompile_limit: int | None = None
    of_graphs: Mapping[str, str] = field(default_factory=no_entries)
    keeps_profile: bool | None = None


@lru_cache(maxsize=_KNOWN)
def compiler_settings(dynamo_config: str) -> CompilerSettings:
    """Read torch's ``dynamo_config``, a text of JSON in the metrics of a compile."""
    automatic, static = _AUTOMATIC.search(dynamo_config), _STATIC_FIRST.search(dynamo_config)
    limit = _LIMIT.search(dynamo_config)
    sizes: Sizes | None = None
    if automatic is not None and static is not None:
        if static[1] == "false":
            sizes = "dynamic"
        else:
            sizes = "automatic" if automatic[1] == "true" else "static"
    profile = _PROFILE.search(dynamo_config)
    return CompilerSettings(
        sizes,
        None if limit is None else int(limit[1]),
        _of_graphs(dynamo_config),
        None if profile is None else profile[1] == "true",
    )


def _of_graphs(dynamo_config: str) -> Mapping[str, str]:
    try:
        found = mapping(json.loads(dynamo_config))
    except (ValueError, RecursionError):
        return no_entries()
    return {
        name: repr(found[name])[:_LONGEST]
        for known in (OF_SIZES, OF_GRAPHS)
        for name in known
        if name in found
    }
