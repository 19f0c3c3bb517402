"""The cell magic, in a shell without a notebook."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("IPython")
from IPython.core.error import UsageError

from ca_engine.integrations import ipython


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What was recorded, shown and run."""
    seen: dict[str, Any] = {"succeeds": True, "enabled": []}

    def run_cell(cell: str) -> Any:
        seen["cell"] = cell
        return SimpleNamespace(success=seen["succeeds"])

    def record(folder: str) -> Any:
        seen["folder"] = folder
        return nullcontext("the recording")

    def enable(compiler: Any) -> Any:
        seen["enabled"].append(compiler)
        return nullcontext()

    shell = SimpleNamespace(run_cell=run_cell, execution_count=4, user_ns={"In": ["", "x", "%%ca"]})
    monkeypatch.setattr(ipython, "_shell", shell)
    monkeypatch.setattr(ipython, "api", SimpleNamespace(record=record, enable=enable))
    monkeypatch.setattr(ipython, "display", lambda shown: seen.update(shown=shown))
    return seen


def test_a_cell_is_run_recorded_and_shown(ran: dict[str, Any]) -> None:
    ipython.ca("runs/a", "loss.backward()")
    assert (ran["folder"], ran["cell"], ran["shown"]) == (
        "runs/a",
        # A line stands for the magic's own.
        "# %%ca runs/a\nloss.backward()",
        "the recording",
    )
    assert ran["enabled"] == []


def test_without_a_folder_it_is_a_new_one_of_the_notebook(ran: dict[str, Any]) -> None:
    ipython.ca("", "pass")
    assert ran["folder"].startswith("ca-runs/notebook-")


def test_compiled_autograd_is_on_where_it_was_asked_for(ran: dict[str, Any]) -> None:
    ipython.ca("--enable --backend eager", "pass")
    assert len(ran["enabled"]) == 1


def test_a_cell_that_fails_is_shown_and_ends_what_follows(ran: dict[str, Any]) -> None:
    ran["succeeds"] = False
    with pytest.raises(UsageError, match="the cell failed"):
        ipython.ca("", "1 / 0")
    assert ran["shown"] == "the recording"


def test_the_magic_is_registered_with_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    magics: list[Any] = []
    monkeypatch.setattr(ipython, "register_cell_magic", magics.append)
    monkeypatch.setattr(ipython, "_shell", None)
    shell = object()
    ipython.load(shell)
    assert magics == [ipython.ca]
    assert ipython._shell is shell
