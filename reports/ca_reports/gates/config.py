"""Settings of a gate: ``[tool.ca]`` of a pyproject.toml, or ca.toml, and flags over both."""

from __future__ import annotations

import difflib
import fnmatch
import math
import re
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_engine.lazy_classes import dataclass
from ca_engine.lazy_expressions import expression
from ca_reports.causes.rules import all_rules, find_rule
from ca_reports.gates import files
from ca_reports.gates.budgets import BUDGETS, BudgetKind
from ca_reports.gates.files import (
    EDITOR,
    PYPROJECT,
    SECRETS,
    SOURCE,
    TABLE,
    ConfigError,
    secret_names,
)
from ca_reports.gates.files import shown as _shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Every code there can be: three digits after it, as in `CA101`.
_PREFIX = expression(r"CA\d{0,3}", re.IGNORECASE)
_EVERY = "ALL"


_BUDGETS = {kind.key: kind for kind in BUDGETS}
_WARMUP, _SELECT, _IGNORE = "warmup-steps", "select", "ignore"
_EXTEND = "extend-select"
_PER_PATH, _BASELINE = "per-path-ignores", "baseline"
KEYS = (
    *_BUDGETS,
    _WARMUP,
    _SELECT,
    _EXTEND,
    _IGNORE,
    _PER_PATH,
    _BASELINE,
    SECRETS,
    SOURCE,
    EDITOR,
)


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Limits, and what counts.

    ``budgets`` maps the keys of ``BUDGETS`` to limits: numbers of events, seconds, a share of
    0 to 1. ``select`` and ``ignore`` are rule codes; ``select`` None: findings of severity
    ``warning`` and ``error``. ``extend_select`` are codes that count beside those, whatever their
    severity is. ``per_path_ignores`` maps patterns of paths relative to
    ``folder`` to codes. ``source`` is the file that was read, None without one,
    ``folder`` its folder, and ``unread`` one beside it that it comes before. ``baseline`` is
    absolute or as given by a flag.
    """

    budgets: Mapping[str, float] = field(default_factory=dict)
    warmup_steps: int = 0
    select: frozenset[str] | None = None
    extend_select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    per_path_ignores: Mapping[str, frozenset[str]] = field(default_factory=dict)
    baseline: Path | None = None
    source: Path | None = None
    unread: Path | None = None
    folder: Path = field(default_factory=Path)

    def ignores(self, code: str, file: str | None) -> bool:
        """Return whether findings of ``code`` in ``file`` (relative to ``folder``) do not count."""
        if code in self.ignore:
            return True
        return file is not None and any(
            code in codes and _fits(file, pattern)
            for pattern, codes in self.per_path_ignores.items()
        )


def load_settings(folder: Path, file: Path | None = None) -> GateSettings:
    """Return the settings for ``folder``: of ``file``, else of the nearest file that has any.

    In each folder from ``folder`` up to the root of the repository (the one with ``.git``),
    ca.toml comes before the ``[tool.ca]`` of pyproject.toml. Raises ``ConfigError`` for a
    file that cannot be read and for anything in it that cannot be meant.
    """
    found = files.find(folder, file)
    if found is None:
        return GateSettings(folder=folder)
    return replace(_settings(found.table, found.file), unread=found.unread)


def override(
    settings: GateSettings,
    budgets: Mapping[str, float | str | None],
    *,
    warmup_steps: int | None = None,
    select: Iterable[str] | None = None,
    extend_select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    baseline: Path | None = None,
) -> GateSettings:
    """Return ``settings`` with what flags say in its place; None leaves a setting as it is.

    ``budgets`` is by key, a share as text (``5%``) as well. Raises ``ConfigError``.
    """
    given = {
        key: _limit(_BUDGETS[key], value, f"--{key}")
        for key, value in budgets.items()
        if value is not None
    }
    return replace(
        settings,
        budgets={**settings.budgets, **given},
        warmup_steps=settings.warmup_steps if warmup_steps is None else warmup_steps,
        select=settings.select if select is None else rule_codes(select, "--select"),
        extend_select=settings.extend_select
        if extend_select is None
        else rule_codes(extend_select, f"--{_EXTEND}"),
        ignore=settings.ignore if ignore is None else rule_codes(ignore, "--ignore"),
        baseline=settings.baseline if baseline is None else baseline,
    )


def rule_codes(wanted: Iterable[str], where: str) -> frozenset[str]:
    """Return the codes that ``wanted`` names: codes, their beginnings (``CA2``), names, ``ALL``.

    Several may be in one text, with commas between. Raises ``ConfigError`` for one that
    fits no rule: a typing error would silence nothing, or everything.
    """
    found: set[str] = set()
    for part in (part.strip() for text in wanted for part in text.split(",")):
        if not part:
            continue
        if part.upper() == _EVERY:
            found.update(rule.code for rule in all_rules())
            continue
        rule = find_rule(part)
        codes = [rule.code] if rule is not None else _beginning_with(part)
        if not codes:
            known = [name for each in all_rules() for name in (each.code, each.name)]
            raise ConfigError(
                f"{where}: unknown rule {part}{_suggestion(part, known)} "
                "(`ca rule --all` lists them)"
            )
        found.update(codes)
    return frozenset(found)


def share_of(text: str) -> float | None:
    """Return ``5%`` and ``0.05`` → 0.05; None for anything else."""
    stripped = text.strip()
    percent = stripped.endswith("%")
    try:
        value = float(stripped.removesuffix("%"))
    except ValueError:
        return None
    return value / 100 if percent else value


def _settings(table: Mapping[str, Any], file: Path) -> GateSettings:
    where = files.place(file)
    for key in table:
        if key not in KEYS:
            raise ConfigError(f"{where} has an unknown key {_shown(key)}{_instead(key, file)}")
    budgets = {
        key: _limit(kind, table[key], f"{where} {key}")
        for key, kind in _BUDGETS.items()
        if key in table
    }
    # A recording's and a reader's: here they only have to be right.
    secret_names(table, where)
    files.editor(table, where)
    select = table.get(_SELECT)
    baseline = table.get(_BASELINE)
    if baseline is not None and not (isinstance(baseline, str) and baseline):
        raise ConfigError(f"{where} {_BASELINE} must be the name of a file, not {_shown(baseline)}")
    return GateSettings(
        budgets=budgets,
        warmup_steps=_whole(table.get(_WARMUP, 0), f"{where} {_WARMUP}"),
        select=None if select is None else _codes(select, f"{where} {_SELECT}"),
        extend_select=_codes(table.get(_EXTEND, []), f"{where} {_EXTEND}"),
        ignore=_codes(table.get(_IGNORE, []), f"{where} {_IGNORE}"),
        per_path_ignores=_per_path(table.get(_PER_PATH, {}), f"{where} {_PER_PATH}"),
        baseline=None if baseline is None else file.parent / baseline,
        source=file,
        folder=file.parent,
    )


def _per_path(value: object, where: str) -> dict[str, frozenset[str]]:
    if not isinstance(value, dict):
        raise ConfigError(
            f"{where} must be a table of patterns and lists of codes, not {_shown(value)}"
        )
    return {
        pattern: _codes(codes, f"{where} {_shown(pattern)}") for pattern, codes in value.items()
    }


def _codes(value: object, where: str) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ConfigError(f'{where} must be a list of codes such as ["CA101"], not {_shown(value)}')
    return rule_codes(value, where)


def _limit(kind: BudgetKind, value: object, where: str) -> float:
    if kind.unit == "count":
        return _whole(value, where)
    number = _number(value)
    if kind.unit == "share":
        if isinstance(value, str):
            number = share_of(value)
        if number is None or not 0 <= number <= 1:
            raise ConfigError(f'{where} must be a share such as 0.05 or "5%", not {_shown(value)}')
        return number
    if number is None or number < 0:
        raise ConfigError(f"{where} must be seconds, a number of at least 0, not {_shown(value)}")
    return number


def _whole(value: object, where: str) -> int:
    # True is an int in Python, and no number in TOML.
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ConfigError(f"{where} must be a whole number of at least 0, not {_shown(value)}")
    return value


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def _beginning_with(part: str) -> list[str]:
    if not _PREFIX.fullmatch(part):
        return []
    return [rule.code for rule in all_rules() if rule.code.startswith(part.upper())]


def _fits(file: str, pattern: str) -> bool:
    """As in ruff: ``*`` also stands for slashes, and a pattern may name the file alone."""
    anchored = pattern.removeprefix("./")
    if anchored.endswith("/"):
        anchored += "*"
    return fnmatch.fnmatchcase(file, anchored) or fnmatch.fnmatchcase(
        file.rsplit("/", 1)[-1], anchored
    )


def _instead(key: str, file: Path) -> str:
    if key == "tool" and file.name != PYPROJECT:
        return f": {file.name} holds the keys without {TABLE}"
    return _suggestion(key.lower().replace("_", "-"), KEYS) or f" (known keys: {', '.join(KEYS)})"


def _suggestion(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f": did you mean {close[0]}?" if close else ""
