"""Recordings of programs, cut down to what a report reads, for replay without torch.

A frozen recording is one file: the run's `run.json` and the records of its traces that
`ca_reports.run.build` asks for, compressed with a dictionary that all share.
Paths of the machine that recorded it are replaced: the program's folder by `HERE`, which `thaw`
replaces by the folder of its sources in this checkout, so that every location is a line of them.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zstandard

from ca_reports.logs.record import Record
from ca_reports.run.build.builder import WANTED_FOR_FINDINGS
from ca_reports.run.build.changed_inputs import BACKWARD, FORWARD, changed_in_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FOLDER = Path(__file__).with_name("frozen")
SUFFIX = ".run.zst"
DICTIONARY = FOLDER / "dictionary"
# What replaces the program's folder, the interpreter's environment, the interpreter, `ca`, and
# torch's caches, whose folder the recording of a program is given.
HERE = "/frozen/program"
ENVIRONMENT, PYTHON, CHECKOUT = "/frozen/environment", "/frozen/python", "/frozen/ca"
CACHES = "/frozen/caches"
_BEFORE = r"/[^\s\"'`\\<>|:;,()\[\]{}]*?"
_PATH_END = r"(?![\w.-])"

_HEAD = re.compile(rb"([VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{6} \d+) [^\]\n]+\] (?=\{)")
_DIGEST = re.compile(rb'"has_payload": "[0-9a-f]*"')
_PLACE = b"torch:1] "
# What an envelope says beside the record's kind of where it belongs.
_OWNER = ("compiled_autograd_id", "frame_id", "frame_compile_id", "attempt", "rank")
_CONTEXT = {*_OWNER, "severity", "timestamp", "pathname", "thread", "process", "stack",
            "subgraph_name", "has_payload"}  # fmt: skip
_LEVEL = 19
_DICTIONARY_SIZE = 112 << 10


@dataclass(frozen=True)
class Frozen:
    """A recording, cut down to its run.json and the text of each trace, by the name of its file.

    ``told`` is the digest of the sources and options that were recorded.
    """

    told: str
    run: Mapping[str, Any]
    traces: Mapping[str, str]


def digest(sources: Mapping[str, str], options: Iterable[str]) -> str:
    """Return what tells sources and options of `ca run` from others."""
    told = json.dumps([[*options], dict(sources)], sort_keys=True)
    return hashlib.blake2b(told.encode(), digest_size=8).hexdigest()


# ---- freezing


def freeze(run: Path, told: str, *, whole: bool = False) -> Frozen:
    """Cut down the recording in the folder ``run``, or keep it ``whole`` to compare with.

    Raises ValueError if a trace is torn, or names the machine after all.
    """
    described = json.loads((run / "run.json").read_text())
    exit_code = run / "exit_code"
    if exit_code.is_file():
        described["exit_code"] = exit_code.read_bytes()[0]
    folder = described["cwd"]
    traces, names = {}, {}
    for number, path in enumerate(sorted((run / "trace").iterdir())):
        names[path.name] = re.sub(r"_[^_.]+\.log$", f"_{number}.log", path.name)
        trace = path.read_bytes()
        cut = trace if whole else b"".join(_cut(trace))
        moved = traces[names[path.name]] = _moved(cut.decode("utf-8", "surrogateescape"), folder)
        if not whole:
            _require_moved(moved, folder)
    for process in described["processes"]:
        process["trace"] = f"trace/{names[Path(process['trace']).name]}"
    described["host"] = "host"
    return Frozen(told, json.loads(_moved(json.dumps(described), folder)), traces)


def _moved(text: str, folder: str) -> str:
    """Return ``text`` with the paths of the machine replaced on which ``folder`` was run."""
    for expression, stands_for in (
        (re.escape(folder) + _PATH_END, HERE),
        (_BEFORE + r"(?=/lib/python3\.\d+/site-packages/)", ENVIRONMENT),
        (_BEFORE + r"(?=/bin/python[\d.]*" + _PATH_END + ")", ENVIRONMENT),
        (_BEFORE + r"(?=/bin/ca" + _PATH_END + ")", ENVIRONMENT),
        (_BEFORE + r"(?=/lib/python3\.\d+/(?!site-packages/))", PYTHON),
        (_BEFORE + r"(?=/(?:engine/ca_engine|tests/warm)/)", CHECKOUT),
        (_BEFORE + r"/inductor" + _PATH_END, CACHES),
    ):
        text = re.sub(expression, stands_for, text)
    return text


def _require_moved(text: str, folder: str) -> None:
    for path in (str(Path.home()), "/" + Path(folder).parts[1]):
        if left := re.search(re.escape(path) + "/.{,80}", text):
            raise ValueError(f"a path of this machine is left: {left[0]}")


def _cut(trace: bytes) -> Iterator[bytes]:
    """Yield the records that are read, and one of each compile that has none."""
    known: set[tuple[object, ...]] = set()
    changes = False
    for head, envelope, payload in _records(trace):
        record = Record(0, *_kind(envelope), envelope, None, {})
        owner = tuple(envelope.get(name) for name in _OWNER)
        is_wanted = WANTED_FOR_FINDINGS.payload(record)
        if record.kind in (FORWARD, BACKWARD):  # long, and read of few forwards
            changes = bool(changed_in_place(payload or b"")) if record.kind == FORWARD else changes
            is_wanted &= changes
        if record.kind == "chromium_event":
            is_wanted = any(event in (payload or b"") for event in WANTED_FOR_FINDINGS.events)
        if not (is_wanted or record.kind in WANTED_FOR_FINDINGS.kinds or record.kind == "str"):
            if owner in known:
                continue
            envelope = {
                "quiet": {},
                **{name: envelope[name] for name in _OWNER if name in envelope},
            }
        known.add(owner)
        if not is_wanted:
            envelope.pop("has_payload", None)
        yield head + b" " + _PLACE + json.dumps(envelope).encode() + b"\n"
        if "has_payload" in envelope and payload is not None:
            yield payload


def _kind(envelope: Mapping[str, Any]) -> tuple[str, str, Any]:
    """Return kind, name and body of a record."""
    kind = next((key for key in envelope if key not in _CONTEXT), "")
    body = envelope.get(kind)
    name = body.get("name", "") if kind == "artifact" and isinstance(body, dict) else ""
    return kind, name, body


def _records(trace: bytes) -> Iterator[tuple[bytes, dict[str, Any], bytes | None]]:
    """Yield head, envelope and indented payload of each record. Raises ValueError at a torn one."""
    for line, payload in _blocks(trace):
        head = _HEAD.match(line)
        if head is None:
            raise ValueError(f"no record of torch's trace: {line[:80]!r}")
        envelope = json.loads(line[head.end() :])
        yield head[1], envelope, b"".join(payload) if payload else None


def _blocks(trace: bytes) -> Iterator[tuple[bytes, list[bytes]]]:
    """Yield the first line of each record, and the indented ones of its payload."""
    lines = trace.splitlines(keepends=True)
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end].startswith(b"\t"):
            end += 1
        yield lines[at], lines[at + 1 : end]
        at = end


# ---- on disk


def pack(frozen: Frozen) -> bytes:
    """Return the bytes of the file that keeps ``frozen``; the same for the same."""
    return compress(_plain(frozen))


def _plain(frozen: Frozen) -> bytes:
    told = {"told": frozen.told, "run": frozen.run, "traces": frozen.traces}
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()


def unpack(data: bytes) -> Frozen:
    """Return what `pack` packed."""
    return Frozen(**json.loads(decompress(data)))


def compress(plain: bytes) -> bytes:
    """Return ``plain`` compressed with the dictionary."""
    return zstandard.ZstdCompressor(level=_LEVEL, dict_data=_dictionary()).compress(plain)


def decompress(data: bytes) -> bytes:
    """Return what `compress` compressed."""
    return zstandard.ZstdDecompressor(dict_data=_dictionary()).decompress(data)


def train(recordings: Iterable[Frozen]) -> bytes:
    """Return a dictionary of what recordings have in common, to be kept as `DICTIONARY`."""
    trained = zstandard.train_dictionary(_DICTIONARY_SIZE, [*map(_plain, recordings)])
    return trained.as_bytes()


@cache
def _dictionary() -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(DICTIONARY.read_bytes())


# ---- replay


def thaw(frozen: Frozen, folder: Path, sources: Mapping[str, str], run: Path) -> None:
    """Write the recording to the new folder ``run``, as if ``sources`` had run in ``folder``."""
    (run / "trace").mkdir(parents=True)
    described = json.dumps(frozen.run).replace(HERE, str(folder))
    (run / "run.json").write_text(described)
    files = [
        {"file": file, "hash": hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}
        for name, text in sources.items()
        for file in (name, str(folder / name))
    ]
    (run / "source.json").write_text(json.dumps({"schema_version": 1, "files": files}))
    # Torch cuts paths in front where it quotes a line beside a guard: within what is replaced.
    cut = re.compile(rf"(?<=# )\S{{1,200}}/{re.escape(folder.name)}/(?=\S{{1,200}}\.py:\d)")
    for name, text in frozen.traces.items():
        whole = cut.sub(f"{folder.name}/", text.replace(HERE, str(folder)))
        here = whole.encode("utf-8", "surrogateescape")
        (run / "trace" / name).write_bytes(b"".join(_with_digests(here)))


def _with_digests(trace: bytes) -> Iterator[bytes]:
    """Yield the lines of ``trace``, each payload's digest in the record above it."""
    for line, payload in _blocks(trace):
        plain = b"".join(part[1:] for part in payload).removesuffix(b"\n")
        told = hashlib.md5(plain, usedforsecurity=False).hexdigest()
        yield _DIGEST.sub(f'"has_payload": "{told}"'.encode(), line)
        yield from payload
