"""Logs behind http and https: a real server, the real command."""

from __future__ import annotations

import gzip
import re
import shutil
import ssl
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.errors import NothingReadable
from tests.unit.logwriter import LogWriter, sample_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.conftest import Runner

pytest.importorskip("aiohttp")

MEGABYTE = 1_000_000


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder and, as storage does, parts of its files."""

    ranges = True

    def log_message(self, *args: Any) -> None: ...

    def send_head(self) -> Any:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if not self.ranges or not path.is_file():
            return super().send_head()
        size = path.stat().st_size
        first, last = (int(wanted[1]), int(wanted[2] or size - 1)) if wanted else (0, size - 1)
        self.send_response(206 if wanted else 200)
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        file = path.open("rb")
        file.seek(first)
        return _Part(file, last - first + 1)


class _Part:
    def __init__(self, file: Any, size: int) -> None:
        self._file, self._left = file, size

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data

    def close(self) -> None:
        self._file.close()


class WithoutRanges(Handler):
    ranges = False


@contextmanager
def serving(
    folder: Path, handler: type[Handler] = Handler, tls: ssl.SSLContext | None = None
) -> Iterator[str]:
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *args: handler(*args, directory=str(folder))
    )
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    trace = sample_run().write(folder / "run" / "trace" / "dedicated_log_torch_trace_a.log")
    (folder / "run" / "run.json").write_text('{"command": ["ca", "run", "x.py"], "exit_code": 3}')
    (folder / "packed.log.gz").write_bytes(gzip.compress(trace.read_bytes()))
    shutil.copy(trace, folder / "plain.log")
    (folder / "notes.txt").write_text("nothing")
    return folder


@pytest.mark.parametrize("handler", [Handler, WithoutRanges])
@pytest.mark.parametrize("name", ["plain.log", "packed.log.gz", "plain.log?token=abc"])
def test_a_file(logs: Path, handler: type[Handler], name: str) -> None:
    with serving(logs, handler) as server:
        run = ca_reports.load([f"{server}/{name}"])
    assert not run.damage
    local = ca_reports.load([logs / "plain.log"])
    assert [found.reason for found in run.captures] == [found.reason for found in local.captures]
    assert run.captures


def test_what_a_page_links_to(logs: Path) -> None:
    with serving(logs) as server:
        folder = ca_reports.load([f"{server}/"])
        pattern = ca_reports.load([f"{server}/pl*.log"])
        run = ca_reports.load([f"{server}/run/"])
    assert sorted(name.rpartition("/")[2] for name in folder.files) == [
        "packed.log.gz", "plain.log",
    ]  # fmt: skip
    assert [name.rpartition("/")[2] for name in pattern.files] == ["plain.log"]
    assert run.recorded[0].exit_code == 3
    assert [name.rpartition("/")[2] for name in run.files] == ["dedicated_log_torch_trace_a.log"]


def test_what_is_wrong_is_said(logs: Path) -> None:
    with serving(logs) as server:
        for name, message in (
            ("nope.log", "404"),
            ("no*.log", "nothing matches this pattern"),
            ("notes.txt", "not a trace"),
        ):
            with pytest.raises(NothingReadable, match=message):
                ca_reports.load([f"{server}/{name}"])
    with pytest.raises(NothingReadable, match="annot connect"):
        ca_reports.load([f"{server}/plain.log"])  # nobody listens there any more


def test_https(logs: Path, tmp_path: Path, cold_ca: Runner) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make a certificate with")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
         certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    with serving(logs, tls=tls) as server:
        known = cold_ca(
            "explain-recompiles", f"{server}/plain.log", env={"SSL_CERT_FILE": str(certificate)}
        )
        unknown = cold_ca("explain-recompiles", f"{server}/plain.log")
    assert known.code == 0, known.stderr
    assert "captures" in known.stdout
    assert unknown.code == 2
    assert "certificate" in unknown.stderr
    assert unknown.stderr.count("\n") == 1


@pytest.mark.parametrize("handler", [Handler, WithoutRanges])
def test_a_large_remote_file_takes_bounded_memory(tmp_path: Path, handler: type[Handler]) -> None:
    log = LogWriter()
    log.torch_capture(0)
    if not Path("/proc/self/status").is_file():
        pytest.skip("no /proc to tell the peak")
    for _ in range(60):
        log.record("dump_file", {}, "x" * 2 * MEGABYTE)
    path = log.write(tmp_path / "served" / "large.log")
    assert path.stat().st_size > 120 * MEGABYTE
    code = (
        "import re, sys, ca_reports; run = ca_reports.load(sys.argv[1:]); "
        "status = open('/proc/self/status').read(); "
        "print(len(run.captures), len(run.damage), re.search(r'VmHWM:\\s*(\\d+)', status)[1])"
    )
    with serving(tmp_path / "served", handler) as server:
        done = subprocess.run(
            [sys.executable, "-c", code, f"{server}/large.log"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    captures, damage, kilobytes = map(int, done.stdout.split())
    assert (captures, damage) == (1, 0)
    assert kilobytes < 90_000  # of which Python with aiohttp takes 35,000
