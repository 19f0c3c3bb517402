"""The recipes of CONTRIBUTING.md, followed in a copy: they need the files that they name, no more.

One copy holds a new rule and its remedy, an output format, a kind of log, a command, an option, a
budget, a pass and a field of a record, each in the files of its recipe alone. One program is
recorded and explained by it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import execute
from tests.once import made_once, of_session

if TYPE_CHECKING:
    from tests.integration.conftest import Outcome

ROOT = Path(__file__).parents[2]
ENGINE, REPORTS = "engine/ca_engine", "reports/ca_reports"

# By recipe: the files that are new, with what is in them.
NEW = {
    "rule": {
        f"{REPORTS}/causes/rules/ca999_any_capture.py": '''
"""CA999."""

from ca_reports.causes.rules.base import Match, Rule, capture_events


class AnyCapture(Rule):
    """Something was captured.

    ## What it is

    A capture.

    ## Why it costs

    It takes its time.

    ## Example

        loss.backward()

    ## What to do

    Nothing.

    ## Measured

    1 capture.

    ## When the rule can be wrong

    Always.
    """

    code = "CA999"
    name = "any-capture"
    edits = ("cheer_up",)

    def matches(self, facts):
        for known in facts.captures:
            yield Match(
                message=f"captured in a mood that was {known.capture.mood}",
                fix="cheer up",
                events=capture_events([known]),
                key="captured",
            )
''',
    },
    "remedy": {
        f"{REPORTS}/patching/cheer.py": """
from ca_reports.patching.patches import Patch
from ca_reports.program.edits import Replacement


def patches(finding, program):
    name = "train.py"
    program.require_unchanged(program.files[name])
    return [Patch(f"a smile in {name}", (Replacement(name, 0, 0, "# :-)\\n"),))]
""",
    },
    "format": {
        f"{REPORTS}/output/formats/shout.py": """
from ca_reports.output.format import Format

FORMAT = Format(
    name="shout",
    suffix=".shout",
    help="findings in capitals",
    report=lambda report: f"{report!r}".upper(),
)
""",
    },
    "log": {
        f"{REPORTS}/logs/texts/tally.py": """
from ca_reports.logs.record import Record
from ca_reports.logs.texts.base import TextLog


class Tally(TextLog):
    marks = (b"TALLY ",)
    nothing = "it holds a tally, and nothing in it"

    def line(self, number, data):
        if not data.startswith(self.marks):
            return
        self.lines += 1
        yield Record(
            line=number,
            kind="artifact",
            name="compiled_autograd_graph",
            body={"name": "compiled_autograd_graph"},
            envelope={"compiled_autograd_id": int(data[6:])},
            pid=7,
            strings={},
            payload=b"graph():",
            from_text=True,
        )

    def finish(self):
        yield from ()
""",
    },
    "command": {
        "ca_cli/commands/greet.py": '''
from typing import Annotated

import typer

from ca_cli.options import command


@command
def greet(loud: Annotated[bool, typer.Option("--loud", help="In capitals.")] = False) -> None:
    """Greet the world."""
    typer.echo("HELLO" if loud else "hello")
''',
    },
    "option": {},
    "budget": {},
    "pass": {
        f"{ENGINE}/passes/tell.py": """
import sys


def tell_nodes(graph):
    print(f"a graph of {len(graph.nodes)} nodes", file=sys.stderr)
""",
    },
    "field": {},
}

# By recipe: the files that get lines, each after the line that it comes before.
CHANGED: dict[str, dict[str, tuple[str, ...]]] = {
    "remedy": {
        f"{REPORTS}/causes/remedies.py": (
            '    "whole_evaluation",',
            '    "cheer_up",  # smile\n',
        ),
        f"{REPORTS}/patching/propose.py": (
            "    choices,\n",
            "    cheer,\n",
            '    "whole_evaluation":',
            '    "cheer_up": cheer.patches,\n',
        ),
    },
    "command": {
        "ca_cli/main.py": (
            '        "doctor": "Show versions',
            '        "greet": "Greet the world.",\n',
        ),
    },
    "budget": {
        f"{REPORTS}/gates/budgets.py": (
            '    BudgetKind("max-recaptures"',
            '    BudgetKind("max-compiles", "compile", "Compiles of any kind."),\n',
        ),
        f"{REPORTS}/gates/gate.py": (
            '            "max-recaptures": self',
            '            "max-compiles": list(self.process.compiles),\n',
        ),
    },
    "option": {
        "ca_cli/recording.py": (
            "    enable: EnableOption = False\n",
            '    mood: Annotated[str, typer.Option("--mood", help="How it feels.")] = "plain"\n',
        ),
        f"{ENGINE}/settings.py": ("    backend: str | None = None", '    mood: str = "plain"\n'),
    },
    "pass": {
        f"{ENGINE}/passes/__init__.py": (
            "\ndef run_passes",
            "from ca_engine.passes.tell import tell_nodes\n\nPASSES += (tell_nodes,)\n",
        ),
    },
    "field": {
        f"{ENGINE}/schema.py": ("    reason: str | None\n    stack: ", "    mood: str\n"),
        f"{ENGINE}/recorder/open_capture.py": (
            '            "reason": None,\n',
            '            "mood": __import__("ca_engine.settings").settings.Settings'
            '.from_environment(__import__("os").environ).mood,\n',
        ),
        f"{REPORTS}/run/recorded.py": (
            "    time: float | None = read_by(moment)\n",
            "    mood: str | None = read_by(text)\n",
        ),
    },
}

TITLES = {
    "rule": "a rule",
    "remedy": "a remedy",
    "format": "an output format",
    "log": "a kind of log",
    "command": "a command",
    "option": "an option of every recording",
    "budget": "a budget",
    "pass": "an engine pass",
    "field": "a field of a record",
}

PROGRAM = """
import torch
weight = torch.ones(3, requires_grad=True)
weight.exp().sum().backward()
"""


@pytest.mark.parametrize("recipe", NEW)
def test_as_many_files_are_needed_as_the_recipe_says(recipe: str) -> None:
    said = re.search(
        rf"\*\*Add {TITLES[recipe]}\*\*[^(]*\([^)]*?(one|two|three) files?( and its line)?",
        (ROOT / "CONTRIBUTING.md").read_text("utf-8"),
    )
    assert said is not None
    count = {"one": 1, "two": 2, "three": 3}[said[1]] + (said[2] is not None)
    assert count == len(NEW[recipe]) + len(CHANGED.get(recipe, {}))


@dataclass(frozen=True)
class House:
    """A copy of the packages, and a folder to run its ``ca`` in."""

    root: Path

    def ca(self, *args: str | Path) -> Outcome:
        paths = [self.root, self.root / "engine", self.root / "reports"]
        start = "import sys; from ca_cli.main import main; sys.exit(main())"
        return execute(
            [sys.executable, "-c", start, *args],
            cwd=self.root,
            env={"PYTHONPATH": os.pathsep.join(map(str, paths))},
        )

    @property
    def run(self) -> Path:
        return self.root / "run"


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Follow every recipe in a copy, and record a program with it."""
    return House(made_once(of_session(tmp_path_factory, "recipes"), follow))


def follow(root: Path) -> None:
    for package in ("ca_cli", ENGINE, REPORTS):
        # With what is compiled already: a file of the same size and time needs it once.
        ignored = shutil.ignore_patterns("node_modules")
        shutil.copytree(ROOT / package, root / package, ignore=ignored)
    for files in NEW.values():
        for name, text in files.items():
            (root / name).write_text(text)
    for lines in CHANGED.values():
        for name, places in lines.items():
            text = (root / name).read_text()
            for before, added in zip(places[::2], places[1::2], strict=True):
                assert text.count(before) == 1, f"{name}: the recipe's place has changed"
                text = text.replace(before, added + before)
            (root / name).write_text(text)
    (root / "train.py").write_text(PROGRAM)
    ran = House(root).ca(
        "run", "-o", "run", "--enable", "--backend", "eager", "--mood", "calm", "train.py"
    )
    (root / "said").write_text(ran.stderr)
    assert ran.code == 0, ran.stderr


@pytest.mark.long
def test_a_pass_runs_in_every_capture(house: House) -> None:
    assert "a graph of " in (house.root / "said").read_text()


@pytest.mark.long
def test_a_rule_has_a_page_and_findings_with_the_new_field_as_the_option_said(house: House) -> None:
    assert "Something was captured" in house.ca("rule", "CA999").stdout
    found = json.loads(house.ca("explain-recompiles", house.run, "--format", "json").stdout)
    said = {finding["code"]: finding["message"] for finding in found["findings"]}
    assert said["CA999"] == "captured in a mood that was calm"


def test_a_remedy_is_made_where_a_rule_names_it(house: House) -> None:
    fixed = house.ca("fix", house.run, "--code", "CA999")
    assert "# a smile in train.py\n" in fixed.stdout
    assert "\n+# :-)\n" in fixed.stdout


def test_a_command_is_one_of_the_help_and_runs(house: House) -> None:
    assert "Greet the world." in house.ca("--help").stdout
    assert house.ca("greet", "--loud").stdout == "HELLO\n"


@pytest.mark.long
def test_a_budget_is_an_option_and_a_setting(house: House) -> None:
    kept = house.ca("check", house.run, "--max-compiles", "1000")
    exceeded = house.ca("check", house.run, "--max-compiles", "0")
    (house.root / "ca.toml").write_text("max-compiles = 0\n")
    settings = house.ca("check", house.run, "--config", "ca.toml")
    assert (kept.code, exceeded.code, settings.code) == (0, 1, 1)
    assert "compile" in exceeded.stdout


def test_an_option_is_in_the_help_of_what_records(house: House) -> None:
    assert "How it feels." in house.ca("run", "--help").stdout
    assert '"mood":"calm"' in house.ca("env", "--mood", "calm", "--format", "env").stdout


def test_a_format_is_one_of_every_command_that_shows_an_analysis(house: House) -> None:
    assert "shout (" in house.ca("explain-recompiles", "--help").stdout
    assert "CA999" in house.ca("explain-recompiles", house.run, "--format", "shout").stdout
    assert "REPORT(" in house.ca("check", house.run, "--format", "shout").stdout
    assert "REPORT(" in house.ca("diff", house.run, house.run, "--format", "shout").stdout


def test_a_kind_of_log_is_read_where_any_log_is(house: House) -> None:
    log = house.root / "tally.txt"
    log.write_text("TALLY 0\nTALLY 1\n")
    found = json.loads(house.ca("explain-recompiles", log, "--format", "json").stdout)
    assert [capture["id"] for capture in found["captures"]] == ["!0", "!1"]
