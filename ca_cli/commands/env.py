"""``ca env``: the environment of a recording, for launchers that ``ca run`` cannot wrap."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from ca_cli import options, run_folder
from ca_cli.errors import UsageError
from ca_cli.options import command
from ca_cli.recording import RecordingOptions, new_run_file, recording_variables

Format = Literal["sh", "env", "json"]


@command
def env(
    recording: RecordingOptions,
    output: Annotated[
        Path | None,
        options.output_option(
            "DIR", "ca-runs/job-TIME", "The folder of the run; new or empty. All hosts must see it."
        ),
    ] = None,
    format: Annotated[
        Format,
        typer.Option("--format", help="sh: export lines; env: NAME=VALUE lines; json."),
    ] = "sh",
) -> None:
    """Print the environment in which every Python process is recorded.

    For jobs that something else starts (Slurm, Kubernetes, mpirun). It makes the folder of
    the run; `ca watch` and `ca explain-recompiles` read it while the job runs and after.

    \b
    eval "$(ca env)" && srun python train.py
    env $(ca env --format env) torchrun --nproc-per-node 8 train.py
    docker run --env-file <(ca env -o /shared/run1 --format env) ...
    """  # noqa: D301 -- the character, which keeps these lines apart
    settings = recording.settings()
    now = time.time()
    folder = run_folder.create(output, "job", datetime.fromtimestamp(now))
    run_folder.write_run_file(folder, new_run_file("", settings, now))
    variables = recording_variables(os.environ, folder, settings)
    sys.stdout.write(_as_text(variables, format))


def _as_text(variables: dict[str, str], format: Format) -> str:
    if format == "json":
        return json.dumps(variables, indent=2) + "\n"
    if format == "sh":
        return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    for value in variables.values():
        if any(letter.isspace() for letter in value):
            raise UsageError(
                f"--format env cannot hold the space in {value!r}: use --format sh, "
                "or another folder with -o"
            )
    return "".join(f"{name}={value}\n" for name, value in variables.items())
