"""What the server makes of what an agent asks for."""

from __future__ import annotations

import signal
import sys

import pytest

pytest.importorskip("mcp")

from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, DeclinedElicitation
from mcp.server.mcpserver.exceptions import ToolError

from ca_cli import mcp_server


@pytest.mark.parametrize("named", ["--apply", "-o", "s3://bucket/log", "https://example.org"])
def test_an_option_or_a_url_names_no_run(named: str) -> None:
    with pytest.raises(ToolError, match="is not a path on this machine"):
        mcp_server._named(named)


def test_a_path_is_an_argument_and_nothing_the_newest_run() -> None:
    assert mcp_server._named("ca-runs/x") == ["ca-runs/x"]
    assert mcp_server._named("") == []


def test_only_an_accepted_yes_is_an_agreement() -> None:
    agree, deny = (mcp_server.Agreement(agree=answer) for answer in (True, False))
    mcp_server._agreed(AcceptedElicitation(data=agree))
    for answer in (AcceptedElicitation(data=deny), DeclinedElicitation(), CancelledElicitation()):
        with pytest.raises(ToolError, match="nothing was run"):
            mcp_server._agreed(answer)


def test_the_user_sees_the_whole_command_line() -> None:
    asked = mcp_server._ask_to_run(["train.py", "--name", "a b; rm -r ."])
    assert "`ca run train.py --name 'a b; rm -r .'`" in asked.message
    assert "`ca fix --verify --yes --format markdown ca-runs/x`" in (
        mcp_server._ask_to_verify("ca-runs/x").message
    )


def test_a_program_that_takes_too_long_ends_with_all_that_it_started() -> None:
    code, told = mcp_server._output(
        [sys.executable, "-c", "import time; print('began', flush=True); time.sleep(600)"], 1.0
    )
    assert code in (-signal.SIGINT, 1, 130)
    assert told.startswith(("began", "Traceback"))


@pytest.mark.parametrize("option", ["-o", "-oruns", "--output", "--output=runs"])
def test_a_run_stays_where_it_is_found_again(option: str) -> None:
    with pytest.raises(ToolError, match="ca-runs"):
        mcp_server._required(["--quiet", option, "runs", "train.py"])
    # What comes behind the script is the script's.
    command = ["--quiet", "train.py", option, "runs"]
    assert mcp_server._required(command) == command
