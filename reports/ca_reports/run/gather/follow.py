"""Reads files that still grow: what is whole now, the rest when it has arrived."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ca_engine.lazy_expressions import expression
from ca_reports.logs import names, sources
from ca_reports.logs.damage import DamageLog
from ca_reports.logs.records import RecordReader
from ca_reports.run.build.bounds import Bounds
from ca_reports.run.build.builder import WANTED_FOR_FINDINGS, ProcessBuilder
from ca_reports.run.build.drafts import Stored
from ca_reports.run.gather.filereading import count_skipped, give_tracebacks
from ca_reports.run.gather.joining import join
from ca_reports.run.model import Run
from ca_reports.run.roots import own_roots
from ca_reports.run.runfile import read_run, read_source
from ca_reports.run.typed import with_typed_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.run.model import Process

# What one poll reads of one file at most, so that a view of large files stays alive.
STEP = 32 << 20
# In pieces of this size: buffers as large as a step leave a heap behind that grows and grows.
_PIECE = 1 << 18
_RECORD = expression(rb"\n(?=[^\t\n][^\n]{0,200}?[VIWEC]?\d{4} \d\d:\d\d:\d\d\.\d{6} )")


class Follower:
    """Follows run folders, folders and files; call ``poll`` again and again.

    The guards of captured graphs are left out: only a page shows them. Of graphs, which are much
    alike, only differences are kept.
    Files that appear later are found; one that was truncated is read anew.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        """``paths`` are local: a URL cannot be followed."""
        self.paths = tuple(paths)
        self._tails: dict[str, _Tail] = {}

    def poll(self) -> Run:
        """Read what has come since, and return all that is known now.

        Raises ``NothingReadable`` for a folder of runs (see ``sources.find``).
        """
        damage = DamageLog()
        found = sources.find(self.paths, damage)
        recorded = tuple(read_run(folder, DamageLog()) for folder in found.runs)
        bounds = Bounds.of_one_among(len(found.logs))
        processes: list[Process] = []
        for name in found.logs:
            tail = self._tails.get(name)
            if tail is None:
                tail = self._tails[name] = _Tail(name, bounds)
            processes += tail.poll()
        joined = join(processes, DamageLog())
        every, source = with_typed_names(joined.processes, read_source(found.runs, damage))
        return Run(
            paths=self.paths,
            files=tuple(found.logs),
            processes=every,
            recorded=recorded,
            helpers=joined.helpers,
            source_roots=own_roots(found.runs, recorded, found.logs),
            source=source,
        )


class _Tail:
    """One growing file."""

    def __init__(self, name: str, bounds: Bounds) -> None:
        self._name = name
        self._bounds = bounds
        self._begin()

    def _begin(self) -> None:
        self._offset = 0
        self._held = b""  # the last record: more of its payload may follow
        self._ready = b""
        self._damage = DamageLog()
        self._stored = Stored(self._bounds.stored, whole=0)
        self._builders: dict[tuple[int | None, int], ProcessBuilder] = {}
        self._reader = RecordReader(self._name, self._take, WANTED_FOR_FINDINGS, self._damage)
        self._processes: tuple[Process, ...] = ()

    def poll(self) -> tuple[Process, ...]:
        came = self._came()
        if not came and self._held.endswith(b"\n"):
            # Nothing came for a whole interval, and torch writes whole records.
            self._ready, self._held = self._held, b""
            self._read()
            came = True
        if came:
            rank = names.rank_in_name(self._name)
            self._processes = tuple(
                builder.build(index, rank) for index, builder in enumerate(self._builders.values())
            )
        return self._processes

    def _came(self) -> bool:
        """Read what came since, but for the last record; False if nothing did."""
        size = 0
        while size < STEP:
            try:
                data = self._new()
            except OSError:
                break  # gone, or not to be read just now
            if not data:
                break
            size += len(data)
            data = self._held + data
            cut = _last_record(data)
            self._ready, self._held = data[:cut], data[cut:]
            self._read()
        return size > 0

    def _new(self) -> bytes:
        path = Path(self._name)
        size = path.stat().st_size
        if size < self._offset:
            self._begin()
        if size == self._offset:  # and files of the kernel, which have none: some wait for ever
            return b""
        with path.open("rb") as stream:
            stream.seek(self._offset)
            data = stream.read(_PIECE)
        self._offset += len(data)
        return data

    def _take(self, size: int) -> bytes:
        data, self._ready = self._ready[:size], self._ready[size:]
        return data

    def _read(self) -> None:
        for record in self._reader.records():
            owner = (record.pid, record.life)
            builder = self._builders.get(owner)
            if builder is None:
                builder = self._builders[owner] = ProcessBuilder(
                    self._name, self._damage, self._stored, self._bounds
                )
            builder.add(record)
        count_skipped(self._reader, self._builders)
        give_tracebacks(self._builders)


def _last_record(data: bytes) -> int:
    """Find where the last record of ``data`` begins; 0 if it is the only one."""
    if len(data) > 2 * STEP:  # a payload without end: the reader has bounds of its own
        return len(data)
    begin = 0
    # The last few records are close to the end, unless the last payload is long.
    window = 1 << 16
    while True:
        start = max(0, len(data) - window)
        for found in _RECORD.finditer(data, start):
            begin = found.end()
        if begin or start == 0:
            return begin
        window *= 8
