"""No command that reads a log of local files opens a connection."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, NoReturn

import pytest

from ca_cli.main import main
from tests.unit.cli.test_ways_out import hostile

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = [
    ["explain-recompiles", "trace.log"],
    ["explain-recompiles", "trace.log", "--format", "sarif"],
    ["report", "trace.log", "-o", "page.html"],
    ["report", "trace.log", "--share", "-o", "page.html"],
    ["graph", "trace.log"],
    ["check", "trace.log"],
    ["diff", "trace.log", "trace.log"],
    ["baseline", "trace.log"],
    ["export", "trace.log", "--table", "captures"],
    ["watch", "trace.log", "--once"],
    ["fix", "trace.log"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_is_sent(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def refuse(*arguments: object, **named: object) -> NoReturn:
        tried.append(arguments)
        raise OSError("no network")

    monkeypatch.chdir(tmp_path)
    # Every text of it is a URL.
    hostile("https://example.com/").write(tmp_path / "trace.log")
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    assert main(command) in (0, 1, 2)

    assert tried == []
