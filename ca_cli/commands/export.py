"""``ca export``: a run as tables, for pandas, spreadsheets and data bases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ca_cli import inputs, options, writing
from ca_cli.errors import UsageError
from ca_cli.options import command

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["csv", "parquet", "json"]
Table = Literal["captures", "misses", "backwards", "compiles", "graph_breaks", "findings"]


@command
def export(
    paths: inputs.Paths = None,
    format: Annotated[
        Format, typer.Option("--format", help="json: one object per line; parquet needs pyarrow.")
    ] = "csv",
    output: Annotated[
        Path | None,
        options.output_option("DIR", "ca-export", "Folder for one file per table; new or empty."),
    ] = None,
    table: Annotated[
        Table | None,
        typer.Option(
            "--table",
            show_default="all",
            help="Print this one to stdout, or write it to the file -o.",
        ),
    ] = None,
    force: options.Force = False,
    jobs: inputs.Jobs = None,
    scheduler: inputs.Scheduler = None,
) -> None:
    """Write captures, misses, backwards, compiles, graph breaks and findings as tables.

    \b
    ca export --format parquet -o tables
    ca export --table backwards > backwards.csv
    """  # noqa: D301 -- the character, which keeps these lines apart
    if format == "parquet":
        _require_pyarrow()
        if table is not None and output is None:
            raise UsageError("parquet is binary: give the file with -o")
    if table is None:
        folder = _folder(output or Path("ca-export"))
    elif output is not None:
        writing.refuse(output, force=force)
    run = inputs.load(paths, jobs, scheduler)
    from ca_reports.output import dataframes as frames

    if table is None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in frames.tables(run).items():
            path = folder / f"{name}.{format}"
            _write(frame, format, path, force=force)
        return
    frame = getattr(frames, table)(run)
    if output is None or (writing.is_stdout(output) and format != "parquet"):
        sys.stdout.write(_text(frame, format))
        return
    _write(frame, format, output, force=force)


def _folder(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: -o names a folder (or a file, with --table)")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty: name another folder with -o")
    return folder


def _write(frame: pd.DataFrame, format: Format, path: Path, *, force: bool) -> None:
    if format == "parquet":
        content: str | bytes = frame.to_parquet(engine="pyarrow", index=False)
    else:
        content = _text(frame, format)
    writing.write(path, content, force=force)
    writing.say_wrote(path, f" ({len(frame):,} rows)")


def _text(frame: pd.DataFrame, format: Format) -> str:
    from ca_reports.words.clean import cell, json_safe, no_commands

    if format == "csv":
        for name in frame.select_dtypes(include=["string"]).columns:
            frame[name] = frame[name].map(cell, "ignore")
        return no_commands(str(frame.to_csv(index=False)))
    text = frame.to_json(orient="records", lines=True, date_format="iso", date_unit="us")
    return json_safe(str(text))


def _require_pyarrow() -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise UsageError("--format parquet needs pyarrow: pip install 'ca-profiler[parquet]'")
