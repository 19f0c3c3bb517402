"""tlparse runs on logs of strangers: what they name, it must not write."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ca_reports
from ca_reports.logs.damage import DamageLog
from ca_reports.output import tlparse
from ca_reports.output.tlparse import confinement
from ca_reports.output.tlparse.rewriting import TooLarge, rewrite, safe_name
from tests.unit.logwriter import LogWriter

needs_tlparse = pytest.mark.skipif(
    not tlparse.installed(), reason="tlparse is not installed in this environment"
)
needs_landlock = pytest.mark.skipif(
    not confinement.version(), reason="this kernel has no Landlock, or it is switched off"
)


def with_names(name: str) -> LogWriter:
    """A log that calls a file ``name`` in every kind of record that tlparse makes files of."""
    log = LogWriter()
    log.torch_capture(0)
    context: dict[str, Any] = {"frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    log.artifact(name, "{}", **context)
    log.artifact(name, "text", "string", **context)
    for kind in ("dump_file", "graph_dump", "optimize_ddp_split_child", "unheard_of"):
        log.record(kind, {"name": name}, "def f(): pass\n", **context)
    log.record("inductor_output_code", {"filename": name}, "code\n", **context)
    for kind in ("artifact", "dump_file", "graph_dump", "optimize_ddp_split_child"):
        # What tlparse reads into a struct may be a list of its fields.
        log.record(kind, [name, "string"][: 2 if kind == "artifact" else 1], "{}", **context)
        log.record(kind, name, "{}", **context)
    log.record("link", {"name": name, "url": "javascript:alert(1)"}, **context)
    log.record("link", [name, "javascript:alert(1)"], **context)
    log.record(".link", {"name": name, "url": "javascript:alert(1)"}, **context)
    return log


def escaped(log: LogWriter) -> bytes:
    """The same log with keys that a search for their letters does not find."""
    return (
        log.data.replace(b'"artifact"', b'"\\u0061rtifact"')
        .replace(b'"dump_file"', b'"dump_fil\\u0065"')
        .replace(b'"name"', b'"n\\u0061me"')
    )


def rewritten(data: bytes, most: int = 1 << 20) -> bytes:
    out = io.BytesIO()
    rewrite("trace.log", io.BytesIO(data).read, out, DamageLog(), most)
    return out.getvalue()


def envelopes(data: bytes) -> list[dict[str, Any]]:
    lines = [line for line in data.splitlines() if not line.startswith(b"\t")]
    return [json.loads(line[line.index(b"] ") + 2 :]) for line in lines]


NAMES = ("../../../evil", "/tmp/evil", "a/../../evil", "..", ".evil", "C:\\evil", "x\0y", "é" * 300)


@needs_tlparse
@pytest.mark.parametrize("manner", ["plain", "escaped", "brace"])
@pytest.mark.parametrize("absolute", [False, True])
def test_nothing_is_written_outside_its_folder(tmp_path: Path, manner: str, absolute: bool) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    log = with_names(str(outside / "evil") if absolute else "../../../../outside/evil")
    data = escaped(log) if manner == "escaped" else log.data
    if manner == "brace":  # in the path of the source file, before the JSON
        data = data.replace(b"torch/_dynamo/utils.py", b"torch/{/utils.py")
    trace = tmp_path / "trace.log"
    trace.write_bytes(data)

    folder = tmp_path / "a" / "b" / "pages"
    pages = tlparse.run_on(ca_reports.load([trace]), folder)

    assert list(outside.iterdir()) == []
    assert not [path for path in tmp_path.rglob("*evil*") if folder not in path.parents]
    assert pages.processes, pages.failed
    assert not list(folder.rglob(".ca-*"))


@needs_tlparse
def test_its_folder_may_be_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trace = with_names("a").write(tmp_path / "trace.log")

    pages = tlparse.run_on(ca_reports.load([trace]), Path("pages"))

    assert pages.processes, pages.failed
    assert all(Path(page).is_file() for page in pages.processes.values())


@needs_tlparse
def test_its_folder_may_be_behind_a_link(tmp_path: Path) -> None:
    trace = with_names("a").write(tmp_path / "trace.log")
    (tmp_path / "link").symlink_to("elsewhere")

    for _ in range(2):
        pages = tlparse.run_on(ca_reports.load([trace]), tmp_path / "link")
        assert all((tmp_path / page).is_file() for page in pages.processes.values())

    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_of_every_kind_becomes_one_part_of_a_path(name: str) -> None:
    found = envelopes(rewritten(escaped(with_names(name))))
    names = [
        body[key]
        for envelope in found
        for body in envelope.values()
        if isinstance(body, dict)
        for key in ("name", "filename")
        if key in body
    ]
    assert len(names) >= 8
    for safe in names:
        assert safe.isascii()
        assert 0 < len(safe) <= 100
        assert not safe.startswith(".")
        assert not set(safe) & set("/\\\0:")
    assert "javascript" not in json.dumps(found)
    lists = [key for one in found for key, body in one.items() if isinstance(body, list)]
    assert set(lists) <= {"str"}
    assert not [one for one in found if isinstance(one.get("dump_file"), str)]


def test_records_are_written_as_one_reads_them(tmp_path: Path) -> None:
    log = LogWriter(pid=12, rank=3)
    log.torch_capture(0, ["!0: Cache miss"], 1.5)
    log.compiled("!0/1/0", stack=[("/home/user/train.py", 3, "f", "f()")])
    log.record("describe_tensor", {"id": 1})
    log.record("describe_tensor", {"id": 2})
    log.record("dump_file", {"name": "<eval_with_key>.7"}, "a\r\n\tb\xff".encode("latin-1"))
    data = rewritten(log.data)
    assert rewritten(data) == data
    before, after = envelopes(log.data), envelopes(data)
    for one, other in zip(before, after, strict=True):
        assert (one.pop("has_payload", None) is None) is (other.pop("has_payload", None) is None)
        assert one == other
    assert b"V1121 06:19:00.425000 12 " in data


def test_a_payload_cannot_name_the_file_that_it_goes_to() -> None:
    log = LogWriter()
    log.record("unheard_of", {}, "text")
    data = log.data.replace(b'"has_payload": "', b'"has_payload": "../../')
    assert b".." not in rewritten(data)


def test_ids_that_are_no_ids_are_left_out() -> None:
    log = LogWriter()
    log.record("dynamo_start", {}, compiled_autograd_id="../x", frame_id=2**40, attempt=-1)
    (envelope,) = envelopes(rewritten(log.data))
    assert envelope == {"dynamo_start": {}}


def test_what_it_is_given_is_bounded() -> None:
    log = LogWriter()
    for _ in range(100):
        log.record("unheard_of", {}, "x" * 1000)
    with pytest.raises(TooLarge):
        rewritten(log.data, 50_000)


def test_names_that_mean_something_to_it_stay() -> None:
    assert safe_name("<eval_with_key>.12") == "<eval_with_key>.12"
    assert safe_name("<eval_with_key>.12/../../x") == "_eval_with_key_.12_.._.._x"
    assert safe_name("fx_graph_cache_miss") == "fx_graph_cache_miss"


@needs_landlock
def test_a_confined_program_writes_in_its_folder_only(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "kept").write_text("kept")
    script = f"""
import os, socket
open({str(inside / "file")!r}, "w").write("x")
os.mkdir({str(inside / "folder")!r})
refused = []
for attempt in (
    lambda: open({str(outside / "file")!r}, "w"),
    lambda: open({str(outside / "kept")!r}, "a"),
    lambda: os.unlink({str(outside / "kept")!r}),
    lambda: os.truncate({str(outside / "kept")!r}, 0),
    lambda: os.rename({str(inside / "file")!r}, {str(outside / "moved")!r}),
    lambda: os.symlink("/", {str(inside / "link")!r}),
    lambda: os.mkfifo({str(inside / "fifo")!r}),
):
    try:
        attempt()
    except OSError:
        refused.append(1)
print(len(refused))
"""
    command = [sys.executable, "-I", "-S", confinement.__file__, "1000000", str(inside)]
    done = subprocess.run(
        [*command, sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    wanted = 7 if confinement.version() >= 3 else 6
    assert done.stdout.strip() == str(wanted)
    assert (outside / "kept").read_text() == "kept"
    assert sorted(path.name for path in inside.iterdir()) == ["file", "folder"]


def test_without_landlock_the_program_runs_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinement, "_call", lambda *_: -1)
    assert confinement.version() == 0
    assert not confinement.confine(str(tmp_path))


def test_only_files_are_moved_out(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "folder").mkdir(parents=True)
    (source / "folder" / "page.html").write_text("page")
    (source / "link").symlink_to("/etc/passwd")
    (source / "folders").symlink_to("/etc")
    os.mkfifo(source / "fifo")
    tlparse._move_files(source, target)
    assert [path.name for path in target.rglob("*")] == ["folder", "page.html"]
