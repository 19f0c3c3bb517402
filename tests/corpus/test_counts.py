"""A count is found again for the same sources, by the same torch and counter only."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import counts, score, truth

if TYPE_CHECKING:
    from pathlib import Path

(PROGRAM,) = (one for one in truth.samples() if one.name == "ca206_scalar_baked_bad")
SOURCES = {PROGRAM.script: "print(1)\n"}


def counted(**changed: Any) -> dict[str, Any]:
    return {"captures": 1, "printed": "", "seconds": 0.5, **changed}


def test_what_was_counted_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, str]] = []

    def measured(_: object, sources: dict[str, str], *, may_fail: bool) -> dict[str, Any]:
        assert may_fail
        asked.append(sources)
        return counted(captures=len(asked))

    monkeypatch.setattr(score, "measured", measured)
    kept = counts.Counts("this")
    first = kept.count(PROGRAM, SOURCES)
    again = counts.unpack(kept.pack())
    assert again.count(PROGRAM, SOURCES) == first == {"captures": 1, "printed": ""}
    assert again.count(PROGRAM, {PROGRAM.script: "2"})["captures"] == 2
    assert again.get(PROGRAM, SOURCES, once_more=True) is None
    assert again.count(PROGRAM, SOURCES, once_more=True)["captures"] == 3
    assert len(asked) == 3


def test_a_count_is_of_its_options(tmp_path: Path) -> None:
    kept = counts.Counts("this")
    kept.add(PROGRAM, SOURCES, counted())
    enabled = replace(PROGRAM, options=["--enable", "--backend", "eager"])
    assert kept.get(enabled, SOURCES) is None
    assert kept.get(replace(PROGRAM, options=["--memory"]), SOURCES) is not None


def test_the_counts_of_two_branches_are_put_together() -> None:
    own, other = counts.Counts("this"), counts.Counts("this")
    own.add(PROGRAM, SOURCES, counted())
    other.add(PROGRAM, SOURCES, counted(captures=2))
    other.add(PROGRAM, SOURCES, counted(captures=3))
    other.add(PROGRAM, {PROGRAM.script: "2"}, counted())
    own.merge(other)
    assert own.pack() == other.pack()
    with pytest.raises(ValueError, match="counted by that, not by this"):
        own.merge(counts.Counts("that"))


def test_counts_of_another_torch_or_counter_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "counts.json.zst"
    kept = counts.Counts(counts.counter())
    kept.add(PROGRAM, SOURCES, counted())
    kept.save(file)
    assert counts.read(file).of == kept.of
    assert [*tmp_path.iterdir()] == [file]
    monkeypatch.setattr(counts, "counter", lambda: "another")
    assert counts.read(file).of == {}
    assert counts.read(tmp_path / "absent").made_by == "another"


def test_a_comment_of_the_counter_makes_no_count_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, text = counts.counter(), score.COUNT.read_text()
    monkeypatch.setattr(score, "COUNT", tmp_path / "count.py")
    counts.counter.cache_clear()
    try:
        score.COUNT.write_text(f"# …\n{text.replace('What torch counted', 'All that')}")
        assert counts.counter() == known
        counts.counter.cache_clear()
        score.COUNT.write_text(text.replace("captured += 1", "captured += 2"))
        assert counts.counter() != known
    finally:
        counts.counter.cache_clear()


def test_the_file_has_the_bytes_of_its_counts() -> None:
    kept = counts.read()
    assert kept.of, "made by another torch or counter: python -m tests.corpus.remedies"
    assert kept.pack() == counts.ARCHIVE.read_bytes()


# ---- what torch counts


@pytest.mark.long
def test_a_fork_counts_what_a_process_of_its_own_does() -> None:
    kept = counts.read()
    alone = score.measured(replace(PROGRAM, cold=True), PROGRAM.sources)
    del alone["seconds"]
    assert kept.get(PROGRAM, PROGRAM.sources) == alone


def test_the_counter_does_not_count_itself() -> None:
    # What Dynamo compiles in a backward that a compiled function calls is the program's alone.
    found = score.measured(PROGRAM, {PROGRAM.script: COMPILED_STEP})
    assert (found["captures"], found["compiles"], found["breaks"]) == (1, 1, 1)
    assert [required for required, _ in found["trained"]] == [17, 17]
    assert all(size > 0 for _, size in found["trained"])


def test_a_program_that_ends_with_an_exception_is_counted() -> None:
    sources = {PROGRAM.script: "import torch\nraise KeyError(3)\n"}
    found = score.measured(PROGRAM, sources, may_fail=True)
    assert (found["failed"], found["error"]) == (1, "KeyError: 3")
    with pytest.raises(RuntimeError, match="KeyError: 3"):
        score.measured(PROGRAM, sources)
    with pytest.raises(RuntimeError, match="died with 3"):
        score.measured(PROGRAM, {PROGRAM.script: "import os\nos._exit(3)\n"}, may_fail=True)


COMPILED_STEP = """
import torch

torch._dynamo.config.compiled_autograd = True
model = torch.nn.Linear(16, 1)

@torch.compile(backend="eager")
def step(inputs):
    model(inputs).square().mean().backward()

for _ in range(2):
    model.zero_grad()
    step(torch.ones(8, 16))
"""
