"""Large structured traces for the reading benchmarks: a real recorded run, many times over.

Every repetition gets captures, frames, steps and times of its own, in the records' texts and
payloads as well, so that readers find as many captures and compiles as a job of that size has,
not the same few again and again, and nothing that contradicts itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_engine import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

CA = Path(sys.executable).with_name("ca")

# A few captures, a size that Dynamo compiles again, a compiled forward with inductor's code:
# the kinds of record that fill the traces of real jobs.
SCRIPT = """\
import torch
torch._dynamo.config.compiled_autograd = True
layers = [torch.nn.Linear(32, 32) for _ in range(12)]
model = torch.nn.Sequential(*layers)
forward = torch.compile(model, backend="aot_eager")
for size in (8, 16, 8, 24):
    loss = forward(torch.randn(size, 32)).relu().sum()
    torch.compile(lambda: loss.backward(), backend="aot_eager")()
for op in (torch.sin, torch.cos):
    loss = op(model(torch.randn(4, 32))).sum()
    torch.compile(lambda: loss.backward(), backend="eager")()
"""

# A larger model, of which a capture brings 12 MB of records: graphs, guards, sizes.
LARGE_MODEL = """\
import torch
torch._dynamo.config.compiled_autograd = True
layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
model = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False)
forward = torch.compile(model, backend="aot_eager")
for size in (8, 16, 8, 24):
    loss = forward(torch.randn(2, size, 64)).relu().sum()
    torch.compile(lambda: loss.backward(), backend="aot_eager")()
"""

_HEAD = re.compile(rb"([VIWEC]\d{4} [\d:.]+ \d+ [^]]+\] )(.*)\n")
# "0/1: …", "!2/5/0: …": how texts name a compile.
_COMPILE = re.compile(r"^(!?)(\d+)(/\d+)?(?=/\d+(?:: |$))")
_REASON = re.compile(r'"!(\d+): ')


def record_once(folder: Path, program: str = SCRIPT) -> Path:
    """Run ``program`` with ``ca run`` in ``folder``; return its trace, whole as torch writes it.

    What ``ca run`` leaves out by itself is most of tlparse's time (`ca_engine.lean_trace`):
    without it the two would not be compared on what a job's ``TORCH_TRACE`` holds.
    """
    script = folder / "job.py"
    script.write_text(program)
    run = folder / "recorded"
    subprocess.run(
        [str(CA), "run", "--quiet", "--no-report", "-o", str(run), str(script)],
        check=True,
        env={**os.environ, "CA_FULL_TRACE": "1"},
    )
    (trace,) = (run / "trace").glob("*.log")
    return trace


def write_log(trace: Path, log: Path, megabytes: int) -> Path:
    """Repeat ``trace`` in ``log`` until it has at least so many megabytes (10**6 bytes)."""
    with log.open("wb") as file:
        file.writelines(repeated(trace, megabytes))
    return log


def repeated(trace: Path, megabytes: int) -> Iterator[bytes]:
    """Yield the records of `write_log`'s log, one after another."""
    records = list(_records(trace))
    begin = next(record for record in records if record.name == schema.RUN_RECORD)
    end = next(record for record in records if record.name == schema.END_RECORD)
    middle = [record for record in records if record is not begin and record is not end]
    totals = json.loads(end.payload or b"")
    seconds = totals["time"] - json.loads(begin.payload or b"")["time"]
    ids = 1 + max(
        record.envelope.get(key, 0)
        for record in records
        for key in ("compiled_autograd_id", "frame_id")
    )
    repetition = 0
    yield begin.data
    size = len(begin.data)
    while size < megabytes * 1_000_000:
        shift = _Shift(repetition * ids, repetition * totals["backwards"], repetition * seconds)
        for record in middle:
            data = shift.record(record).data
            size += len(data)
            yield data
        repetition += 1
    totals["time"] += (repetition - 1) * seconds
    for count in ("backwards", "captures", "failed_captures", "hits", "unique_graphs"):
        totals[count] *= repetition
    end.payload = json.dumps(totals).encode()
    yield end.data


@dataclass(slots=True)
class _Record:
    head: bytes
    envelope: dict[str, Any]
    payload: bytes | None

    @property
    def name(self) -> str:
        """Its kind; of an artifact the name."""
        kind = next(iter(self.envelope))
        return str(self.envelope[kind]["name"] if kind == "artifact" else kind)

    @property
    def data(self) -> bytes:
        """The record as torch writes it."""
        if self.payload is None:
            return self.head + json.dumps(self.envelope).encode() + b"\n"
        digest = hashlib.md5(self.payload, usedforsecurity=False).hexdigest()
        line = self.head + json.dumps({**self.envelope, "has_payload": digest}).encode()
        return line + b"\n\t" + self.payload.replace(b"\n", b"\n\t") + b"\n"


def _records(trace: Path) -> Iterator[_Record]:
    record: _Record | None = None
    for line in trace.read_bytes().splitlines(keepends=True):
        head = _HEAD.match(line)
        if head is None:
            assert record is not None, "a trace begins with a record"
            record.payload = (record.payload or b"") + line[1:]
            continue
        if record is not None:
            yield _whole(record)
        record = _Record(head[1], json.loads(head[2]), None)
    if record is not None:
        yield _whole(record)


def _whole(record: _Record) -> _Record:
    if record.payload is not None:
        record.payload = record.payload.removesuffix(b"\n")
    return record


@dataclass(frozen=True, slots=True)
class _Shift:
    """What one repetition adds to ids of captures and frames, to steps, and to times."""

    ids: int
    steps: int
    seconds: float

    def record(self, record: _Record) -> _Record:
        envelope = dict(record.envelope)
        for key in ("compiled_autograd_id", "frame_id"):
            if key in envelope:
                envelope[key] += self.ids
        metrics = envelope.get("compilation_metrics")
        if metrics is not None:
            envelope["compilation_metrics"] = {
                **metrics,
                "compile_id": self._named(metrics["compile_id"]),
                "recompile_reason": self._named(metrics["recompile_reason"]),
                "start_time": metrics["start_time"] + self.seconds,
            }
        payload = record.payload
        if payload is not None:
            payload = self._payload(record.name, payload.decode()).encode()
        return _Record(record.head, envelope, payload)

    def _payload(self, name: str, text: str) -> str:
        if name == "compiled_autograd_compile_reasons":
            return _REASON.sub(lambda found: f'"!{int(found[1]) + self.ids}: ', text)
        if name == "recompile_reasons":
            return self._named(text) or ""
        if name == "chromium_event":
            event = json.loads(text)
            event["ts"] += self.seconds * 1e6
            if "graph_id" in event.get("args", ()):
                event["args"]["graph_id"] += self.ids
            return json.dumps(event, indent=0)
        if name not in (schema.CAPTURE_RECORD, schema.BACKWARDS_RECORD):
            return text
        found = json.loads(text)
        found["time"] += self.seconds
        if name == schema.CAPTURE_RECORD:
            found["id"] += self.ids
            found["step"] += self.steps
            if found.get("closest_capture") is not None:
                found["closest_capture"] += self.ids
        else:
            found["step"] = [step + self.steps for step in found["step"]]
            found["capture"] = [id + self.ids for id in found["capture"]]
        return json.dumps(found, separators=(",", ":"))

    def _named(self, text: str | None) -> str | None:
        """``text`` with the compile at its beginning renumbered: ``!5/7/1`` or ``7/1: …``."""

        def renumbered(found: re.Match[str]) -> str:
            second = found[3] and f"/{int(found[3][1:]) + self.ids}"
            return f"{found[1]}{int(found[2]) + self.ids}{second or ''}"

        return text and _COMPILE.sub(renumbered, text)
