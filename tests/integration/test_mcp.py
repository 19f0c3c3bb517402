"""`ca mcp`, asked by the official SDK's own client."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.integration.conftest import TRAIN, clean_environment, execute

mcp = pytest.importorskip("mcp")

from mcp import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters  # noqa: E402
from mcp_types import ElicitRequestParams, ElicitResult, TextContent  # noqa: E402

Conversation = Callable[[Client], Awaitable[None]]


class User:
    """What the client's user is asked, and answers."""

    def __init__(self, answer: ElicitResult | None) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params.message)
        assert self.answer is not None
        return self.answer


AGREES = ElicitResult(action="accept", content={"agree": True})
DECLINES = ElicitResult(action="decline")


def in_a_loop(converse: Callable[[], Awaitable[None]]) -> None:
    """Run it in a thread: this one has Playwright's loop, once a page was tested here."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(anyio.run, converse).result()


def talk(
    commands: Path, folder: Path, answer: ElicitResult | None, name: str, **arguments: Any
) -> tuple[str, bool, User]:
    """Call one tool of a server in ``folder``: its text, whether it is an error, and the user."""
    user = User(answer)
    told: list[tuple[str, bool]] = []

    async def converse() -> None:
        started = StdioServerParameters(
            command=str(commands / "ca"), args=["mcp"], cwd=folder, env=clean_environment()
        )
        async with Client(started, elicitation_callback=user if answer else None) as client:
            try:
                result = await client.call_tool(name, arguments)
            except mcp.MCPError as error:  # how the protocol says that this client cannot ask
                told.append((str(error), True))
                return
            text = "".join(part.text for part in result.content if isinstance(part, TextContent))
            told.append((text, bool(result.is_error)))

    in_a_loop(converse)
    return (*told[0], user)


def test_the_tools_are_listed_with_what_they_may_do(commands: Path, tmp_path: Path) -> None:
    async def converse() -> None:
        started = StdioServerParameters(command=str(commands / "ca"), args=["mcp"], cwd=tmp_path)
        async with Client(started) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"explain", "fix", "caches", "sizes", "run", "verify"}
        for name, tool in tools.items():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is (name not in ("run", "verify"))
            assert tool.input_schema["additionalProperties"] is False
        assert set(tools["run"].input_schema["properties"]) == {"command", "seconds"}

    in_a_loop(converse)


def test_a_run_is_explained_in_short(commands: Path, run: Path) -> None:
    text, is_error, _ = talk(commands, run.parent.parent, None, "explain")
    assert not is_error, text
    assert "finding 1: CA" in text
    assert "line to change: train.py:" in text
    assert len(text) < 16_000


def test_patches_are_a_diff_and_nothing_is_written(commands: Path, recorded: Path) -> None:
    text, is_error, _ = talk(commands, recorded, None, "fix")
    assert not is_error, text
    assert text.startswith("--- a/train.py") or "no patch" in text
    assert (recorded / "train.py").read_text() == TRAIN


def test_what_is_no_run_of_this_machine_is_refused(commands: Path, tmp_path: Path) -> None:
    async def converse() -> None:
        started = StdioServerParameters(
            command=str(commands / "ca"), args=["mcp"], cwd=tmp_path, env=clean_environment()
        )
        async with Client(started) as client:
            for named in ("--apply", "https://example.org/trace.log", "no-such-folder"):
                result = await client.call_tool("explain", {"run": named})
                assert result.is_error
                assert any(
                    named in part.text for part in result.content if isinstance(part, TextContent)
                )

    in_a_loop(converse)


def test_what_a_tool_does_not_take_is_refused_in_one_line(commands: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("open('ran', 'w')\n")
    train, user = {"command": ["train.py"]}, User(AGREES)
    refused: list[tuple[str, dict[str, Any], str]] = [
        ("explain", {"path": "x"}, "unknown argument 'path': explain takes run"),
        (
            "run",
            {**train, "timeout": 5, "steps": 1},
            "unknown argument 'timeout', 'steps': run takes command, seconds",
        ),
        ("run", {**train, "seconds": "soon"}, "run: seconds: Input should be a valid integer"),
        ("run", {}, "run: command: Field required"),
        ("check", {}, "unknown tool 'check': it is one of explain, fix, caches, sizes, run, "),
    ]

    async def converse() -> None:
        started = StdioServerParameters(
            command=str(commands / "ca"), args=["mcp"], cwd=tmp_path, env=clean_environment()
        )
        async with Client(started, elicitation_callback=user) as client:
            for tool, arguments, told in refused:
                result = await client.call_tool(tool, arguments)
                assert result.is_error
                (part,) = result.content
                assert isinstance(part, TextContent)
                assert part.text.startswith(told)
                assert "\n" not in part.text

    in_a_loop(converse)
    assert not user.asked
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("answer", [None, DECLINES], ids=["no way to ask", "declined"])
def test_nothing_runs_without_the_users_agreement(
    commands: Path, tmp_path: Path, answer: ElicitResult | None
) -> None:
    (tmp_path / "train.py").write_text("open('ran', 'w')\n")
    _, is_error, _ = talk(commands, tmp_path, answer, "run", command=["train.py"])
    assert is_error
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "ca-runs").exists()


@pytest.mark.long
def test_an_agreed_run_is_recorded_and_explained(commands: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    text, is_error, user = talk(
        commands, tmp_path, AGREES, "run", command=["train.py", "--rows", "3 4"]
    )
    assert not is_error, text
    assert user.asked == [f"Run `ca run train.py --rows '3 4'` in {tmp_path}? It runs the program."]
    assert "finding 1: CA" in text


def test_a_program_that_records_nothing_shows_its_output(commands: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("raise SystemExit('no data set')\n")
    text, is_error, _ = talk(commands, tmp_path, AGREES, "run", command=["train.py"])
    assert is_error
    assert "no data set" in text


def test_without_the_sdk_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('no mcp', name='mcp')\n")
    done = execute([sys.executable, "-m", "ca_cli", "mcp"], cwd=tmp_path)
    assert done.code == 2
    assert "pip install 'ca-profiler[mcp]'" in done.stderr
