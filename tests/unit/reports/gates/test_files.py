"""Files of settings: which one is read, and what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from ca_reports.gates.config import GateSettings, load_settings
from ca_reports.gates.files import ConfigError
from tests.unit.reports.gates.made import ca_toml


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


def test_an_editor_must_be_one(tmp_path: Path) -> None:
    file = tmp_path / "ca.toml"
    file.write_text('editor = "pycharm"')
    assert load_settings(tmp_path).source == file
    file.write_text('editor = "javascript://{file}"')
    with pytest.raises(ConfigError, match=r"ca\.toml editor must be vscode, "):
        load_settings(tmp_path)
