"""A run's settings: `ca run` decides them, every process of the run reads them.

It travels as JSON in one environment variable. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Literal

VARIABLE = "CA_RUN_SETTINGS"

Engine = Literal["ca", "torch"]
# The file and first line of a compiled function, and a source as a guard of it names it.
WatchedSource = tuple[str, int, str]


@dataclass(frozen=True)
class Settings:
    """One field for each setting; a process that knows fewer of them ignores the others."""

    engine: Engine = "ca"
    # Set by `installation` where ours was to run with an untested torch: what it is tested with
    engine_needs: str | None = None
    enable: bool = False  # compiled autograd for the whole script, …
    backend: str | None = None  # … compiled by this backend, …
    dynamic: bool | None = None  # … with dynamic shapes, never with them, or as torch decides
    forward_stacks: bool | None = None  # in 32 forwards after a miss; None: under a budget
    # Which line changed what a failed guard reads; None: from CPython 3.12 on, under a budget
    watch_lines: bool | None = None
    watched: tuple[WatchedSource, ...] = ()  # what guards failed on in an earlier run
    lowering: bool | None = None  # None leaves it to CA_LOWERING
    sizes: bool = True  # count the sizes of the inputs of compiled graphs in all calls
    background: bool = False  # inductor compiles lowered graphs in another process
    cache: str | None = None  # a file that carries compiled graphs to the next start, absolute
    secrets: tuple[str, ...] = ()  # names that `redaction` does not know by itself

    started: float | None = None  # when the interpreter began, in seconds since the epoch

    # `ca try`
    try_steps: int | None = None  # end after so many backwards
    try_dynamic: bool | None = None  # for every compile, whatever the script says
    try_eager_hooks: bool = False  # leave hooks to Python
    try_sizes: str | None = None  # a plan of `ca sizes`: `schema.TriedSizesSetting` as JSON

    # The end of the run
    cwd: str = ""  # where `ca run` was typed
    report: bool = True
    source: bool = True  # keep the files that findings are about
    quiet: bool = False
    user_torch_trace: str | None = None  # the TORCH_TRACE that the user had set, absolute

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read `VARIABLE`; without it, everything is as by default. Raises ValueError."""
        found = json.loads(environment.get(VARIABLE, "{}"))
        names = [field.name for field in fields(cls) if field.name in found]
        read = cls(**{name: found[name] for name in names})
        # JSON has no tuples
        watched = tuple((file, line, source) for file, line, source in read.watched)
        return replace(read, secrets=tuple(read.secrets), watched=watched)

    def as_json(self) -> str:
        """Return what differs from the default, without any whitespace.

        ``env $(ca env --format env) command`` would split there.
        """
        changed = {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }
        return json.dumps(changed, separators=(",", ":")).replace(" ", "\\u0020")
