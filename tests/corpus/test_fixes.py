"""Patches applied to programs of the corpus and samples: torch counts less, losses as promised.

`make truth-fixes` tries every patch of every program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus import fixes
from tests.corpus.kept import Kept

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {one.name: one for one in fixes.programs(unseen=False, samples=True)}


def works(folder: Path, name: str, *codes: str) -> None:
    program = PROGRAMS[name]
    result = fixes.measure(program, Kept(folder))
    has_losses = any(".backward(" in text for text in program.sources.values())
    assert not result.error
    assert set(codes) <= set(result.patched), result.refused
    for tried in result.tried:
        assert tried.works, f"{tried.code}: {tried.what}: {tried.why}"
        assert not tried.faults
        assert tried.losses in (("equal", "noise", "different") if has_losses else ("none",))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "code"),
    [("clip_statistics", "CA303"), ("numpy_targets", "CA708")],
)
def test_a_patch_saves_what_it_is_for(tmp_path: Path, name: str, code: str) -> None:
    works(tmp_path, name, code)


@pytest.mark.long
def test_a_patch_that_leaves_calls_uncompiled_is_none_that_works(tmp_path: Path) -> None:
    (tried,) = fixes.measure(PROGRAMS["unbatched_preview"], Kept(tmp_path)).tried
    assert tried.why == "runs 2 of 10 calls uncompiled"
    assert not tried.works
    assert not tried.faults  # it says so, and is offered by --verify only, which counts as well


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("accelerate_loop", ["CA201"]),
        ("adversarial_training", ["CA208"]),
        ("compiled_optimizer_schedule", ["CA702"]),
        ("csv_activations", ["CA806"]),
        ("domain_prompts", ["CA104"]),
        ("double_precision_eval", ["CA705", "CA708"]),
        ("vae_kl_warmup", ["CA702"]),
        ("layerdrop_translator", ["CA202"]),
        ("leaking_monitor", ["CA302"]),
        ("lightning_accumulates", ["CA201"]),
        ("lightning_module", ["CA101"]),
        ("lora_unfreeze", ["CA207"]),
        ("offloaded_activations", ["CA503"]),
        ("quantize_scale", ["CA716"]),
        ("robust_regression", ["CA201", "CA206"]),
        ("slope_schedule", ["CA401"]),
        ("step_counter_warmup", ["CA704"]),
        ("teacher_forcing", ["CA703"]),
        ("ppo_minibatches", ["CA101", "CA206"]),
        ("retrieval_pairs", ["CA714"]),
        ("skipped_branch_and_hook", ["CA202", "CA501"]),
        ("soft_prompts", ["CA707"]),
        ("stateful_rnn", ["CA204"]),
        ("transfer_learning", ["CA201", "CA207"]),
        ("two_tasks", ["CA202"]),
        ("two_views", ["CA212"]),
        ("unet_memory_format", ["CA111"]),
        ("ca302_hook_leak_bad", ["CA302"]),
        ("ca717_compiled_in_loop_bad", ["CA717"]),
    ],
)
def test_every_patch_saves_what_it_is_for(tmp_path: Path, name: str, codes: list[str]) -> None:
    works(tmp_path, name, *codes)


def test_a_patch_that_changes_losses_must_say_so() -> None:
    assert fixes.compare([1.0, 2.0], [1.0, 2.0]) == "equal"
    assert fixes.compare([1.0, 2.0], [1.0, 2.00001]) == "noise"
    assert fixes.compare([1.0, 2.0], [1.0, 2.1]) == "different"
    assert fixes.compare([1.0, 2.0], [1.0]) == "different"
    assert fixes.compare([], []) == "none"
    before, after = {"failed": 1, "losses": [1.0]}, {"failed": 0, "losses": [1.0, 0.9]}
    assert fixes.comparable_losses(before, after) == [1.0]
    assert fixes.comparable_losses(before | {"failed": 0}, after) == [1.0, 0.9]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ((33, 24), (33, 3), "runs 30 of 33 calls uncompiled"),
        ((40, 40), (40, 36), ""),
        ((40, 40), (40, 35), "runs 5 of 40 calls uncompiled"),
        # At a recompile limit calls ran eagerly before, too.
        ((36, 24), (36, 36), ""),
        # A function that is called once for all layers.
        ((40, 40), (4, 4), ""),
        ((0, 0), (0, 0), ""),
    ],
)
def test_a_patch_must_not_win_by_not_compiling(
    before: tuple[int, int], after: tuple[int, int], told: str
) -> None:
    names = "calls", "compiled_calls"
    counts = [dict(zip(names, one, strict=True)) for one in (before, after)]
    assert fixes.eager_calls(*counts) == told


def test_layout_and_syntax_are_looked_at() -> None:
    program = PROGRAMS["vae_kl_warmup"]
    faults = fixes.style_faults
    assert not faults(program, {"a.py": "x = 1\n"}, {"a.py": "x = 2\n"})
    assert faults(program, {"a.py": "x = 1\n"}, {"a.py": "x=2\n"})
    assert not faults(program, {"a.py": "x=1\n"}, {"a.py": "x=2\n"})
    assert faults(program, {"a.py": "x = 1\n"}, {"a.py": "x = (\n"})
