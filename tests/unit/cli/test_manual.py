"""The manual page names every command and option that there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from ca_cli.app import app
from ca_cli.main import COMMANDS

PAGE = Path(__file__).parents[3] / "docs" / "man" / "ca.1"
GROUP: Any = typer.main.get_command(app)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_manual_has_the_command_and_its_options(name: str) -> None:
    text = PAGE.read_text("utf-8").replace("\\-", "-")
    sections = dict(re.findall(r"^\.SS ca (\S+)\n(.*?)(?=^\.S|\Z)", text, re.M | re.S))
    assert name in sections, "make man"
    options = {
        option
        for parameter in GROUP.get_command(None, name).params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--") and not getattr(parameter, "hidden", False)
    }
    described = set(re.findall(r"--[a-z][a-z-]*", sections[name]))
    assert options - {"--help"} <= described, "make man"


def test_the_manual_has_no_command_that_is_gone() -> None:
    text = PAGE.read_text("utf-8").replace("\\-", "-")
    assert set(re.findall(r"^\.SS ca (\S+)", text, re.M)) == set(COMMANDS)
