"""One file → the processes in it: what a worker of any pool does, and all that it does.

The arguments and the result can be pickled, and the result is bounded (``bounds``).
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.logs import names, remote
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.opening import Unpacking, is_url, open_log
from ca_reports.logs.records import RecordReader
from ca_reports.logs.wrapped import unwrapped
from ca_reports.run.build.builder import ProcessBuilder, wanted_by
from ca_reports.run.build.drafts import Stored
from ca_reports.run.gather.ahead import looked_ahead
from ca_reports.run.gather.collector import gc_paused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ca_reports.logs.damage import Damage
    from ca_reports.run.build.bounds import Bounds
    from ca_reports.run.model import LogKind, Process

# What a file may be, for who has another.
_READ = (
    "Read are the folder of a run, files of TORCH_TRACE, and text with lines of torch's loggers as "
    "torch 2.5 and later write them (`V1121 06:36:28.935000 26265 torch/…:12] [0/1] …`), "
    "torch 2.1 to 2.4 (`[2023-11-21 06:36:28,935] [0/1] torch._dynamo…: [DEBUG] …`), Python's "
    "logging in any format (`DEBUG:torch._dynamo…:…`) or a server's logger (`… [0/1] "
    "[__recompiles] …`), and "
    'with lists of recompile_reasons, as tlparse shows them (`["0/1: …", "0/0: …"]`)'
)
# A forked child inherits its parent's trace file, so one file may hold several
# processes; a damaged one must not hold a million.
MAX_PROCESSES_PER_FILE = 1_000
# Bytes of packed texts after which only differences are kept: some hundred captures are whole.
_WHOLE = 1 << 20


@dataclass(frozen=True, slots=True)
class FileResult:
    """Contents of one file. ``bytes`` were read (unpacked), in ``seconds``."""

    file: str
    processes: tuple[Process, ...]
    damage: tuple[Damage, ...]
    bytes: int
    seconds: float


def read_file(
    name: str,
    bounds: Bounds,
    shown: str | None = None,
    progress: Callable[[int], None] | None = None,
    helpers: int = 0,
) -> FileResult:
    """Read a path, URL or ``-``; ``shown`` is what it is called. Never raises for a file.

    So many ``helpers`` look through a large file ahead, where they can be forked. ``progress`` is
    told how many bytes came in, unpacked, each time some do. The processes are numbered from 0 in
    the order in which they first wrote.
    """
    start = time.perf_counter()
    file = shown if shown is not None else names.shown(name)
    damage = DamageLog()
    reader: RecordReader | None = None
    builders: dict[tuple[int | None, int], ProcessBuilder] = {}
    stored = Stored(bounds.stored, whole=_WHOLE)
    wanted = wanted_by(bounds)
    try:
        with gc_paused(), open_log(name) as stream, looked_ahead(name, helpers, wanted) as ahead:
            if ahead is None:
                read = unwrapped(stream.read)
                reader = RecordReader(file, read, wanted, damage, (), progress)
            else:
                reader = RecordReader(file, ahead.read, wanted, damage, ahead, progress)
            for record in reader.records():
                owner = (record.pid, record.life)
                builder = builders.get(owner)
                if builder is None:
                    if len(builders) >= MAX_PROCESSES_PER_FILE:
                        damage.add(file, record.line, "too_many", "more processes than are kept")
                        continue
                    builder = builders[owner] = ProcessBuilder(file, damage, stored, bounds)
                builder.add(record)
    except Unpacking as error:
        damage.add(file, 0, "bad_compression", str(error))
    except OSError as error:
        detail = remote.why(error) if is_url(name) else error.strerror or str(error)
        damage.add(file, 0, "unreadable", detail)
    except Exception as error:
        if not is_url(name):
            raise
        damage.add(file, 0, "unreadable", remote.why(error))
    if reader is not None:
        count_skipped(reader, builders)
        give_tracebacks(builders)
        _judge(file, reader, damage)
    rank = names.rank_in_name(name)
    processes = [builder.build(index, rank) for index, builder in enumerate(builders.values())]
    return FileResult(
        file=file,
        processes=tuple(_with_kinds(processes)),
        damage=damage.items(),
        bytes=0 if reader is None else reader.bytes,
        seconds=time.perf_counter() - start,
    )


def _with_kinds(processes: Sequence[Process]) -> Iterable[Process]:
    """Yield the processes of one text, which were all logged with the same TORCH_LOGS."""
    texts = [process.holds for process in processes if process.from_text]
    holds: frozenset[LogKind] = frozenset().union(*texts)
    for process in processes:
        yield replace(process, holds=holds) if process.from_text else process


def give_tracebacks(builders: dict[tuple[int | None, int], ProcessBuilder]) -> None:
    """Give tracebacks, which name no process, to the one process that wrote into their file."""
    unnamed = builders.get((None, 0))
    others = [one for key, one in builders.items() if key[0] is not None]
    if unnamed is not None and len(others) == 1 and unnamed.gives_tracebacks(others[0]):
        del builders[None, 0]


def count_skipped(
    reader: RecordReader, builders: dict[tuple[int | None, int], ProcessBuilder]
) -> None:
    """Give each process the records that its reader kept for itself."""
    for pid, count in reader.skipped.items():
        builder = builders.get((pid, 0))
        if builder is not None:
            builder.records += count
    reader.skipped.clear()


def _judge(file: str, reader: RecordReader, damage: DamageLog) -> None:
    """Judge what the file as a whole turned out to be."""
    if reader.count:
        return
    of_text = next((found for found in reader.text_logs if found.lines), None)
    if of_text is not None:
        # The stderr of a job: what stands between torch's lines is no loss.
        damage.drop(file, ("not_a_record", "orphan_payload"))
        if not reader.texts:
            damage.add(file, 0, "not_a_trace", of_text.nothing)
    elif not reader.bytes:
        if not damage.items():
            damage.add(file, 0, "empty", "the file is empty")
    else:
        damage.drop(file)
        detail = f"not a trace: it holds no record. {_READ}"
        if reader.nuls:
            detail += ". It is a binary file or UTF-16 text"
        elif file.endswith(".py"):
            detail += f". Record it first: ca run {PurePath(file).name}"
        damage.add(file, 0, "not_a_trace", detail)
