"""``ca baseline``: the findings that are known, for ``ca check --baseline``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ca_cli import gating, inputs, options, writing
from ca_cli.console import say
from ca_cli.errors import UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.diagnosis.identities import Identity
    from ca_reports.gates.baseline import Entry


@command
def baseline(
    paths: inputs.Paths = None,
    output: Annotated[
        Path | None,
        options.output_option(
            "FILE", "the settings' baseline, else ca-baseline.json", "Where to write it."
        ),
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Replace an existing baseline.")] = False,
    select: gating.Select = None,
    ignore: gating.Ignore = None,
    config: gating.Config = None,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Write the known findings, for `ca check --baseline`.

    With it, only findings that are new fail. They are recognised by code, function and
    key, not by line, seconds or machine. The file is sorted and small: commit it.

    \b
    ca baseline
    ca baseline run --update
    """  # noqa: D301 -- the character, which keeps these lines apart
    from ca_reports.gates import baseline as baselines
    from ca_reports.gates import gate

    settings = gating.Flags(select=select, ignore=ignore, config=config).settings()
    path = output or settings.baseline or Path(baselines.FILE_NAME)
    before = _what_is_there(path, update=update)
    found = gate.findings_to_know(
        gate.judge(inputs.load_analysis(paths, jobs, scheduler), settings)
    )
    entries = baselines.entries(found)
    # By `_what_is_there` it may be replaced.
    writing.write(path, baselines.render(entries), force=True)
    say(f"{path}: {_told(found, before)}", sys.stderr if writing.is_stdout(path) else sys.stdout)


def _what_is_there(path: Path, *, update: bool) -> tuple[Entry, ...] | None:
    """Return the entries to be replaced; None if there is no such file. Raises what forbids it."""
    from ca_reports.gates import baseline as baselines

    writing.refuse(path, force=True)
    if writing.is_stdout(path) or not path.is_file():
        return None
    if not baselines.is_baseline(path):
        raise UsageError(f"{path} exists but is not a ca baseline: name another file with -o")
    if not update:
        raise UsageError(f"{path} exists: --update replaces it")
    try:
        return baselines.read(path)
    except baselines.BaselineError:
        return None  # damaged, or of another version: that is why it is updated


def _told(found: Sequence[Identity], before: tuple[Entry, ...] | None) -> str:
    from ca_reports.diagnosis.identities import match
    from ca_reports.gates.baseline import single
    from ca_reports.words.numbers import counted

    known = counted(len(found), "known finding")
    if before is None:
        return known
    matching = match(single(before), found)
    return f"{known}, {len(matching.new)} of them new, {len(matching.gone)} gone"
