"""Settings: where they are found, what they mean, and what is no setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from ca_reports.causes.rules import all_rules
from ca_reports.gates.config import GateSettings, load_settings, override, rule_codes
from ca_reports.gates.files import ConfigError
from tests.unit.reports.gates.made import ca_toml

EVERYTHING = """
max-captures = 3
max-recaptures = 0
max-dynamo-recompiles = 2
max-graph-breaks = 4
max-seconds-lost = 1.5
max-lost-share = "5%"
warmup-steps = 2
select = ["CA2", "last-batch"]
extend-select = ["CA62"]
ignore = ["CA201"]
baseline = "ca-baseline.json"

[per-path-ignores]
"tests/*" = ["CA206"]
"""


def test_every_key(tmp_path: Path) -> None:
    file = ca_toml(tmp_path, EVERYTHING)

    settings = load_settings(tmp_path)

    assert settings.source == file
    assert settings.budgets == {
        "max-captures": 3,
        "max-recaptures": 0,
        "max-dynamo-recompiles": 2,
        "max-graph-breaks": 4,
        "max-seconds-lost": 1.5,
        "max-lost-share": 0.05,
    }
    assert settings.warmup_steps == 2
    assert settings.select is not None
    assert "CA101" in settings.select
    assert {"CA201", "CA212"} < settings.select
    assert "CA301" not in settings.select
    assert {"CA620", "CA627"} <= settings.extend_select
    assert settings.ignore == {"CA201"}
    assert settings.baseline == tmp_path / "ca-baseline.json"
    assert settings.ignores("CA206", "tests/deep/test_it.py")
    assert not settings.ignores("CA206", "train.py")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max-recapture = 1", "unknown key 'max-recapture': did you mean max-recaptures?"),
        ("max_recaptures = 1", "did you mean max-recaptures?"),
        ("colour = 'red'", "unknown key 'colour' (known keys: max-captures, max-recaptures, "),
        ("[tool.ca]\nmax-captures = 1", "'tool': ca.toml holds the keys without"),
        ("max-recaptures = 1.5", "must be a whole number of at least 0, not 1.5"),
        ("max-recaptures = true", "must be a whole number of at least 0, not true"),
        ("max-recaptures = -1", "must be a whole number of at least 0, not -1"),
        ("max-seconds-lost = 'long'", "must be seconds, a number of at least 0, not 'long'"),
        ("max-seconds-lost = nan", "must be seconds"),
        ("max-seconds-lost = inf", "must be seconds"),
        ("max-lost-share = 5", 'must be a share such as 0.05 or "5%", not 5'),
        ("max-lost-share = '105%'", "must be a share"),
        ("warmup-steps = '2'", "must be a whole number"),
        ("select = 'CA101'", "must be a list of codes"),
        ("extend-select = 'CA101'", "must be a list of codes"),
        ("select = [1]", "must be a list of codes"),
        ("ignore = ['CA999']", "ignore: unknown rule CA999"),
        ("ignore = ['last-bach']", "did you mean last-batch?"),
        ("baseline = 3", "baseline must be the name of a file"),
        ("per-path-ignores = ['CA101']", "must be a table of patterns"),
        ("per-path-ignores = {'x/*' = 'CA101'}", "'x/*' must be a list of codes"),
        ("max-recaptures = ", "is not valid TOML"),
    ],
)
def test_what_is_no_setting(tmp_path: Path, text: str, message: str) -> None:
    ca_toml(tmp_path, text)

    with pytest.raises(ConfigError) as error:
        load_settings(tmp_path)

    assert message in str(error.value)
    assert str(tmp_path / "ca.toml") in str(error.value)


def test_flags_win_key_by_key(tmp_path: Path) -> None:
    ca_toml(tmp_path, EVERYTHING)
    settings = load_settings(tmp_path)

    changed = override(
        settings,
        {"max-captures": 9, "max-lost-share": "0.5", "max-recaptures": None},
        ignore=["CA3"],
        baseline=Path("other.json"),
    )

    assert changed.budgets["max-captures"] == 9
    assert changed.budgets["max-lost-share"] == 0.5
    assert changed.budgets["max-recaptures"] == 0
    assert changed.ignore == {rule.code for rule in all_rules() if rule.code.startswith("CA3")}
    assert changed.select == settings.select
    assert changed.baseline == Path("other.json")
    assert override(settings, {}) == settings


def test_a_flag_that_cannot_be_meant_is_named() -> None:
    with pytest.raises(ConfigError, match="--max-lost-share must be a share"):
        override(GateSettings(), {"max-lost-share": "much"})


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (["ca101"], {"CA101"}),
        (["CA101, CA102"], {"CA101", "CA102"}),
        (["last-batch", ""], {"CA101"}),
        (["CA10"], {"CA101", "CA102", "CA103", "CA104"}),
        (["all"], {rule.code for rule in all_rules()}),
    ],
)
def test_codes(wanted: list[str], expected: set[str]) -> None:
    assert rule_codes(wanted, "--select") == expected


@pytest.mark.parametrize(
    ("pattern", "file", "fits"),
    [
        ("tests/*", "tests/a/b.py", True),
        ("tests/", "tests/a/b.py", True),
        ("./tests/*", "tests/b.py", True),
        ("conftest.py", "deep/conftest.py", True),
        ("tests/*", "src/tests.py", False),
        ("TRAIN.py", "train.py", False),
    ],
)
def test_patterns_of_paths(pattern: str, file: str, fits: bool) -> None:
    settings = GateSettings(per_path_ignores={pattern: frozenset({"CA101"})})

    assert settings.ignores("CA101", file) is fits
    assert not settings.ignores("CA102", file)
    assert not settings.ignores("CA101", None)
