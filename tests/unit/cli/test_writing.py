"""Whatever ``-o`` names: devices stay devices, links are followed, a user's file stays."""

from __future__ import annotations

import itertools
import os
import stat
import sys
import tempfile
import threading
from pathlib import Path
from typing import NoReturn

import pytest

from ca_cli import writing
from ca_cli.errors import UsageError
from ca_cli.main import main
from tests.unit.logwriter import sample_run

# Every command that writes one file.
COMMANDS = {
    "explain-recompiles": [
        ["explain-recompiles", "trace.log", "--format", format]
        for format in ("terminal", "json", "markdown", "sarif", "junit", "github")
    ],
    "check": [
        ["check", "trace.log", "--ignore", "ALL", "--format", format]
        for format in ("terminal", "json", "markdown", "sarif", "junit", "github")
    ],
    "diff": [
        ["diff", "trace.log", "trace.log", "--format", format]
        for format in ("terminal", "json", "markdown", "html", "sarif", "junit", "github")
    ],
    "graph": [
        ["graph", "trace.log", "--format", format]
        for format in ("terminal", "dot", "svg", "json", "html")
    ],
    "report": [["report", "trace.log", "--format", format] for format in ("html", "perfetto")],
}
RECOGNISED = [command for commands in COMMANDS.values() for command in commands]
BASELINE = ["baseline", "trace.log", "--update"]
TABLE = ["export", "trace.log", "--table", "captures"]
REPORT = COMMANDS["report"][0]
ONE_EACH = [commands[0] for commands in COMMANDS.values()] + [BASELINE, TABLE]


def named(command: list[str]) -> str:
    return f"{command[0]}-{command[-1]}"


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return sample_run().write(tmp_path / "trace.log")


def drain(pipe: Path) -> tuple[threading.Thread, list[bytes]]:
    """Read a pipe to its end, beside the command that writes to it."""
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    thread.start()
    return thread, read


@pytest.mark.parametrize("command", ONE_EACH, ids=named)
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path, command: list[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    thread, read = drain(pipe)

    assert main([*command, "-o", "pipe"]) == 0

    assert stat.S_ISFIFO(pipe.stat().st_mode)
    thread.join(30)
    assert len(read[0]) > 20


@pytest.mark.parametrize("command", [ONE_EACH[0], REPORT, TABLE], ids=named)
def test_a_pipe_that_nobody_reads_keeps_no_job_waiting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.setattr(writing, "_WAITS_FOR_READER", 0.1)
    os.mkfifo("pipe")

    assert main([*command, "-o", "pipe"]) == 2

    assert capsys.readouterr().err.splitlines()[-1] == (
        "ca: pipe is a pipe that nobody reads: start its reader first"
    )


@pytest.mark.parametrize("stdout", ["-", "/dev/stdout"])
@pytest.mark.parametrize("command", [*RECOGNISED, BASELINE, TABLE], ids=named)
def test_a_dash_is_stdout(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], command: list[str], stdout: str
) -> None:
    """And what is said beside it goes elsewhere."""
    assert main([*command, "-o", "file"]) == 0
    capfdbinary.readouterr()

    assert main([*command, "-o", stdout]) == 0

    shown = capfdbinary.readouterr().out.splitlines()
    written = (tmp_path / "file").read_bytes().splitlines()
    signs = [line for line in written if b"Written by ca" in line]
    assert len(shown) in (len(written), len(written) - len(signs))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "trace.log"]


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
@pytest.mark.parametrize("path", ["/dev/full", "/proc/self/mem"])
@pytest.mark.parametrize("command", [ONE_EACH[0], REPORT, TABLE], ids=named)
def test_what_cannot_be_written_is_named(
    capsys: pytest.CaptureFixture[str], command: list[str], path: str
) -> None:
    assert main([*command, "-o", path]) == 2

    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"ca: {path}")
    assert "bug" not in last


def test_a_folder_that_takes_no_file_is_told_by_the_files_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(**_: object) -> NoReturn:
        raise PermissionError(13, "Permission denied", str(tmp_path / ".ca-xyz"))

    monkeypatch.setattr(tempfile, "mkstemp", closed)
    with pytest.raises(PermissionError) as raised:
        writing.write(tmp_path / "report.html", "text")

    assert raised.value.filename == str(tmp_path / "report.html")


@pytest.mark.parametrize("command", ONE_EACH, ids=named)
def test_a_device_stays_one(tmp_path: Path, command: list[str]) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except OSError:
        pytest.skip("only root may make a device")

    assert main([*command, "-o", "null"]) == 0

    assert stat.S_ISCHR(device.stat().st_mode)


@pytest.mark.parametrize("command", ONE_EACH, ids=named)
def test_a_link_is_followed(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere/file")

    assert main([*command, "-o", "link"]) == 0

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / "file").stat().st_size > 20
    (tmp_path / "elsewhere" / "file").unlink()
    (tmp_path / "elsewhere").rmdir()
    assert main([*command, "-o", "link"]) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_that_becomes_a_file_meanwhile_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Whoever may write to the folder can put a link to another file in the pipe's place."""
    theirs, path = tmp_path / "theirs", tmp_path / "pipe"
    theirs.write_text("theirs")
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")  # takes whatever is written, as /dev/null does
    look = writing.refuse

    def turned_after(path: Path, *, force: bool = False) -> None:
        look(path, force=force)
        path.unlink()
        path.symlink_to(theirs)

    def found_before(_: Path) -> bool:
        return kind == "pipe"

    monkeypatch.setattr(writing, "refuse", turned_after)
    monkeypatch.setattr(Path, "is_fifo", found_before)
    monkeypatch.setattr(Path, "is_file", lambda _: False)
    with pytest.raises(UsageError, match="turned into a file"):
        writing.write(path, "text")

    assert theirs.read_text() == "theirs"


@pytest.mark.parametrize("asked", [1, 2])
def test_a_link_that_is_turned_to_another_file_meanwhile_harms_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int
) -> None:
    """Whoever may write to the folder can do so between a look at the file and its replacement."""
    ours, theirs, link = (tmp_path / name for name in ("ours", "theirs", "link"))
    page = writing.signed("text")
    writing.write(ours, page)
    theirs.write_text("theirs")
    link.symlink_to(ours)
    looks = itertools.count(1)
    look = writing.is_ours

    def turned_after(path: Path) -> bool:
        found = look(path)
        if next(looks) == asked:
            for name in (link, ours):
                name.unlink()
                name.symlink_to(theirs)
        return found

    monkeypatch.setattr(writing, "is_ours", turned_after)
    with pytest.raises(UsageError):
        writing.write(link, page)

    assert theirs.read_text() == "theirs"


@pytest.mark.parametrize("command", [*RECOGNISED, BASELINE, TABLE], ids=named)
def test_a_file_of_the_users_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    file = tmp_path / "mine"
    file.write_text("mine, and I mention ca: <meta name='generator' content='ca'>\n")
    before = file.stat()

    assert main([*command, "-o", "mine"]) == 2

    assert "mine" in capsys.readouterr().err.splitlines()[-1]
    assert file.stat().st_ino == before.st_ino
    assert file.read_text().startswith("mine, and")
    if command is not BASELINE:
        assert main([*command, "-o", "mine", "--force"]) == 0
        assert not file.read_text().startswith("mine, and")


@pytest.mark.parametrize("through", ["mine", "link"])
@pytest.mark.parametrize(
    "command",
    [
        ["fix", "trace.log"],
        ["tlparse", "trace.log"],
        ["export", "trace.log"],
        ["env"],
        ["run", "x.py"],
        ["try", "x.py"],
    ],
    ids=lambda command: command[0],
)
def test_commands_that_make_more_than_one_file_leave_it_too(
    tmp_path: Path, command: list[str], through: str
) -> None:
    (tmp_path / "x.py").write_text("open('ran', 'w')")
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "link").symlink_to("mine")

    assert main([command[0], "-o", through, *command[1:]]) == 2

    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "link").is_symlink()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("command", [*RECOGNISED, BASELINE], ids=named)
def test_what_ca_wrote_it_may_write_again(tmp_path: Path, command: list[str]) -> None:
    assert main([*command, "-o", "out"]) == 0
    (tmp_path / "out").chmod(0o640)

    assert main([*command, "-o", "out"]) == 0

    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640


def test_a_table_has_no_room_for_a_sign(tmp_path: Path) -> None:
    assert main([*TABLE, "-o", "out.csv"]) == 0
    assert main([*TABLE, "-o", "out.csv"]) == 2
    assert main([*TABLE, "-o", "out.csv", "--force"]) == 0


def test_a_baseline_is_no_report(tmp_path: Path) -> None:
    assert main(["baseline", "trace.log", "-o", "known.json"]) == 0

    assert main(["check", "trace.log", "--format", "json", "-o", "known.json"]) == 2


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ('<meta name="generator" content="ca 0.1.0">', True),
        ("<!doctype html><html><meta name='generator' content='ca'>", True),
        ('<meta name="generator" content="carrot">', False),
        ("<!doctype html>" + "x" * 5000 + '<meta name="generator" content="ca 0.1.0">', False),
        ("# Written by ca 0.1.0\n5 captures", True),
        ("# Written by carl\n", False),
        ("Notes\n# Written by ca 0.1.0\n", False),
        ('{"generator": "ca"}', False),
        ('{"a": {"runs": [{"tool": {"driver": {"name": "ca"', False),
        ("\x00" * 100, False),
    ],
)
def test_what_is_ours(tmp_path: Path, text: str, ours: bool) -> None:
    (tmp_path / "file").write_text(text)

    assert writing.is_ours(tmp_path / "file") is ours


def test_an_empty_file_holds_nothing_to_lose(tmp_path: Path) -> None:
    (tmp_path / "made-by-mktemp").touch(0o600)

    writing.write(tmp_path / "made-by-mktemp", "text")

    assert (tmp_path / "made-by-mktemp").read_text() == "text"
    assert stat.S_IMODE((tmp_path / "made-by-mktemp").stat().st_mode) == 0o600


def test_a_new_file_has_the_umasks_permissions(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        writing.write(tmp_path / "new", "text")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_our_own_stdout_is_not_cut_off(tmp_path: Path) -> None:
    """``ca … -o /dev/stdout >> log``: the log is somebody's."""
    (tmp_path / "log").write_text("kept\n")
    code = "import sys; from ca_cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *TABLE, "-o", "/dev/stdout"]
    with (tmp_path / "log").open("ab") as log:
        pid = os.posix_spawn(
            sys.executable,
            command,
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, log.fileno(), 1)],
        )
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

    text = (tmp_path / "log").read_text()
    assert text.startswith("kept\n")
    assert "capture" in text


def test_a_file_in_a_folder_that_is_closed_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("# Written by ca 0.1.0\n")
    before = file.stat().st_ino

    def mounted(self: Path, target: Path) -> NoReturn:
        raise OSError(16, "Device or resource busy")

    monkeypatch.setattr(Path, "replace", mounted)
    writing.write(file, "new")

    assert (file.read_text(), file.stat().st_ino) == ("new", before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "trace.log"]


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")

    def fail(self: Path, target: Path) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space left"):
        writing.replace(path, "new")

    assert path.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.json", "trace.log"]


def test_bytes_that_are_no_text_do_not_break_a_file(tmp_path: Path) -> None:
    writing.replace(tmp_path / "run.json", "a\udce4b")

    assert (tmp_path / "run.json").read_text("utf-8") == "a\N{REPLACEMENT CHARACTER}b"


def test_what_cannot_be_a_file_is_said_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        writing.refuse(tmp_path)
    with pytest.raises(UsageError, match="nowhere is not a folder"):
        writing.refuse(Path("nowhere/file"))
