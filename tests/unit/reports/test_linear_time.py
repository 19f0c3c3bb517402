"""Reading takes time in proportion to what is read, whatever it is."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING

import pytest
import rich.console

import ca_engine.guards
import ca_engine.reasons
import ca_engine.redaction
import ca_engine.secret_literals
import ca_engine.secret_names
import ca_engine.source_secrets
import ca_engine.tracebacks
import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.errors import CaError
from ca_reports.facts.process import all_facts
from ca_reports.facts.size_changes import distinct_values, size_changes
from ca_reports.output import json as json_output
from ca_reports.output import terminal
from tests import slopes
from tests.growing import GROWING
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.facts.guarded_things import GuardedThing
    from ca_reports.facts.process import ProcessFacts

PACKAGES = (
    ca_reports,
    ca_engine.guards,
    ca_engine.reasons,
    ca_engine.source_secrets,
    ca_engine.redaction,
    ca_engine.secret_literals,
    ca_engine.secret_names,
    ca_engine.tracebacks,
)
PATTERNS = {name: found for package in PACKAGES for name, found in slopes.patterns(package)}


# Each takes more than a second: what repeats in them is bounded, far beyond the shortest texts.
LONG = frozenset(
    (
        "ca_engine.guards._PLAIN",
        "ca_engine.secret_literals._PLURAL",
        "ca_engine.secret_literals._SAYS",
        "ca_engine.secret_literals._SAYS_WITHIN",
        "ca_engine.secret_names._LICENSE",
        "ca_engine.secret_names._OPAQUE",
        "ca_reports.logs.texts.heads._TORN",
        "ca_reports.patching.printed._OF_TRACEBACK",
        "ca_reports.patching.printed._WARNING",
        "ca_reports.run.build.graph_lines._PLACE",
        "ca_reports.run.build.graph_lines._VALUE",
        "ca_reports.run.sharing._CODE_OF_GRAPH",
    )
)


def test_the_expressions_that_take_long_are_there() -> None:
    assert set(PATTERNS) > LONG


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if name in LONG else []) for name in PATTERNS],
)
def test_every_expression_is_linear(name: str) -> None:
    exponent, attack = slopes.worst(PATTERNS[name])
    assert exponent < slopes.LIMIT, attack


# Found by texts of an expression's own words, where no single attack of `slopes` has them.
OF_WORDS = {
    "ca_reports.facts.size_changes._ZERO_ONE": ("9(", "\\sizes]", "x"),
}


@pytest.mark.parametrize("name", OF_WORDS)
def test_what_is_opened_again_and_again_is_searched_in_linear_time(name: str) -> None:
    begin, unit, end = OF_WORDS[name]

    def search(text: str) -> None:
        for _ in PATTERNS[name].finditer(text):
            pass

    def text(length: int) -> str:
        return begin + unit * (length // len(unit)) + end

    assert slopes.steady(search, text, 16_000) < slopes.LIMIT


@pytest.mark.long
@pytest.mark.parametrize("what", GROWING)
def test_every_log_is_read_in_linear_time(what: str, tmp_path: Path) -> None:
    trace = tmp_path / "trace.log"

    def read(data: bytes) -> None:
        trace.write_bytes(data)
        try:
            run = ca_reports.load([trace], jobs=1)
        except CaError:
            return
        analysis = analyze(run)
        json.loads(json_output.render(analysis))
        terminal.render(analysis, rich.console.Console(file=io.StringIO(), width=100))

    assert slopes.steady(read, GROWING[what], 500) < slopes.LIMIT


@pytest.mark.parametrize("expression", [r"a+b", r"begin: .+? end", r"\[[^]]*\] =>"])
def test_an_expression_that_is_not_linear_is_found(expression: str) -> None:
    exponent, _ = slopes.worst(re.compile(expression), 1_000)
    assert exponent > slopes.LIMIT


def test_what_grows_faster_than_its_text_is_not_within_its_time() -> None:
    text, quadratic = "a".__mul__, re.compile("a+b").search
    assert not slopes.is_linear_within(0.01, quadratic, text, 8_000)
    assert slopes.is_linear_within(0.01, str.lower, text, 8_000)


def test_the_values_of_a_guard_are_joined_in_linear_time(tmp_path: Path) -> None:
    """A new value each time: to look for it among the earlier ones took 10 s for 50,000."""

    def thing(number: int) -> GuardedThing:
        log = LogWriter()
        log.ca_run()
        for id in range(number):
            reason = f"4/{id - 1}: self.temperature == {id - 1}" if id else None
            log.compiled(f"4/{id}", 1.0, recompile_reason=reason)
        run = ca_reports.load([log.write(tmp_path / "trace.log")], jobs=1)
        (facts,) = all_facts(run)
        (found,) = facts.guarded
        return found

    def join(found: GuardedThing) -> None:
        vars(found).pop("values", None)
        assert len(found.values) == len(found.recompiles)

    assert slopes.steady(join, thing, 2_000) < slopes.LIMIT


@pytest.mark.parametrize("what", ["lengths", "strides"])
def test_sizes_are_compared_with_earlier_ones_in_linear_time(what: str, tmp_path: Path) -> None:
    """Whether a size changed by a factor seen before was looked for among all that were."""

    def process(number: int) -> ProcessFacts:
        trace = tmp_path / "trace.log"
        trace.write_bytes(GROWING[what](number))
        (facts,) = all_facts(ca_reports.load([trace], jobs=1))
        return facts

    def compare(facts: ProcessFacts) -> None:
        found = size_changes(facts.recaptures, facts.recompiles)
        assert len(distinct_values(found)) > len(found) / 2

    assert slopes.steady(compare, process, 1_000) < slopes.LIMIT
