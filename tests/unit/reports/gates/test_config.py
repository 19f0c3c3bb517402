"""Settings: where they are found, what they mean, and what is no setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from ca_reports.gates.config import GateSettings, load_settings, override, rule_codes
from ca_reports.gates.files import ConfigError
from ca_reports.rules import all_rules

EVERYTHING = """
max-captures = 3
max-recaptures = 0
max-dynamo-recompiles = 2
max-graph-breaks = 4
max-seconds-lost = 1.5
max-lost-share = "5%"
warmup-steps = 2
select = ["CA2", "last-batch"]
ignore = ["CA201"]
baseline = "ca-baseline.json"

[per-path-ignores]
"tests/*" = ["CA206"]
"""


def ca_toml(folder: Path, text: str) -> Path:
    path = folder / "ca.toml"
    path.write_text(text)
    return path


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
    assert settings.ignore == {"CA201"}
    assert settings.baseline == tmp_path / "ca-baseline.json"
    assert settings.ignores("CA206", "tests/deep/test_it.py")
    assert not settings.ignores("CA206", "train.py")


def test_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.ca]\nmax-recaptures = 1\n")

    assert load_settings(tmp_path).budgets == {"max-recaptures": 1}


def test_nearest_file_wins_and_ca_toml_comes_first(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.ca]\nmax-captures = 1\n")
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # says nothing to us

    assert load_settings(inner).budgets == {"max-captures": 1}

    assert load_settings(inner).unread is None
    ca_toml(tmp_path, "max-captures = 2")
    assert load_settings(inner).budgets == {"max-captures": 2}
    assert load_settings(inner).unread == tmp_path / "pyproject.toml"
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert load_settings(inner).unread is None


def test_nothing_above_the_repository_is_read(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    ca_toml(tmp_path, "max-captures = 1")

    assert load_settings(repository) == GateSettings(folder=repository)


def test_named_file(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text("max-captures = 7")

    assert load_settings(tmp_path, file).budgets == {"max-captures": 7}
    with pytest.raises(ConfigError, match=r"no\.toml: No such file"):
        load_settings(tmp_path, tmp_path / "no.toml")
    (tmp_path / "pyproject.toml").write_text("")
    with pytest.raises(ConfigError, match=r"has no table \[tool.ca\]"):
        load_settings(tmp_path, tmp_path / "pyproject.toml")


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


def test_tool_ca_must_be_a_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool]\nca = 3\n")

    with pytest.raises(ConfigError, match="must be a table"):
        load_settings(tmp_path)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "{b=" * 5000])
def test_brackets_without_end(tmp_path: Path, text: str) -> None:
    (tmp_path / "ca.toml").write_text(text)

    with pytest.raises(ConfigError, match=r"ca\.toml is nested too deeply"):
        load_settings(tmp_path)


@pytest.mark.parametrize("name", ["ca.toml", "pyproject.toml"])
def test_a_key_of_very_many_parts(tmp_path: Path, name: str) -> None:
    """The parser takes minutes for it."""
    (tmp_path / name).write_text(".".join("a" * 50_000) + " = 1")

    with pytest.raises(ConfigError, match="dots"):
        load_settings(tmp_path)


@pytest.mark.parametrize("value", ["'pin'", "[1]", "['']", "true"])
def test_names_of_secrets_must_be_a_list(tmp_path: Path, value: str) -> None:
    (tmp_path / "ca.toml").write_text(f"secrets = {value}")

    with pytest.raises(ConfigError, match="secrets must be a list of names"):
        load_settings(tmp_path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "ca.toml").write_bytes(b"\xff\xfe")

    with pytest.raises(ConfigError, match="is not valid TOML"):
        load_settings(tmp_path)


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


def test_an_editor_must_be_one(tmp_path: Path) -> None:
    file = tmp_path / "ca.toml"
    file.write_text('editor = "pycharm"')
    assert load_settings(tmp_path).source == file
    file.write_text('editor = "javascript://{file}"')
    with pytest.raises(ConfigError, match=r"ca\.toml editor must be vscode, "):
        load_settings(tmp_path)


def test_settings_have_a_key_each() -> None:
    from ca_cli.gating import Flags
    from ca_reports.gates.config import KEYS

    flags = {option.name for option in Flags.parameters()}
    # A table of patterns is nothing for a command line; the others are not the gate's.
    others = {"per_path_ignores", "secrets", "keep_source", "editor"}
    keys = {key.replace("-", "_") for key in KEYS} - others
    assert keys == flags - {"config"}
