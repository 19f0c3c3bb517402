"""The callback of Transformers, with the real Trainer on a model made from scratch."""

from __future__ import annotations

import importlib
import json
import pickle
import shutil
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch

import ca_engine
import ca_reports
from ca_engine import steps
from tests.corpus import packed

TRAIN = {"input_ids": torch.arange(8), "labels": torch.arange(8)}


# When they run, not when they are collected, which each worker does.
@pytest.fixture(autouse=True, scope="module")
def libraries() -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("accelerate")


def trainer_of(folder: Path, seen: list[Any], **options: Any) -> Any:
    """A GPT-2 of one layer, five samples, two a batch: three steps an epoch, the last short."""
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

    from ca_engine.integrations.transformers import StepCallback

    config = GPT2Config(
        vocab_size=8, n_positions=8, n_embd=8, n_layer=1, n_head=1,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    arguments = TrainingArguments(
        output_dir=str(folder), num_train_epochs=2, per_device_train_batch_size=2,
        per_device_eval_batch_size=3, report_to=[], disable_tqdm=True, save_strategy="no",
        logging_strategy="no", use_cpu=True, **options,
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    model.register_forward_pre_hook(lambda *_: seen.append(steps.current))
    return Trainer(
        model=model,
        args=arguments,
        train_dataset=[TRAIN] * 5,
        eval_dataset=[TRAIN] * 5,
        callbacks=[StepCallback()],
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("strategy", ["no", "epoch", "steps"])
def test_every_batch_has_its_name(tmp_path: Path, strategy: str) -> None:
    seen: list[Any] = []
    options = {"eval_steps": 2} if strategy == "steps" else {}
    trainer_of(tmp_path, seen, eval_strategy=strategy, **options).train()
    trained = [found for found in seen if found is not None and found.phase == "train"]
    assert trained == [(step, step // 3, "train") for step in range(6)]
    evaluated = [found for found in seen if found is None or found.phase != "train"]
    epochs = {"no": [], "epoch": [0, 1], "steps": [0, 1, 1]}[strategy]
    assert evaluated == [(step, epoch, "evaluation") for epoch in epochs for step in (0, 1)]
    assert steps.current is None


@pytest.mark.filterwarnings("ignore")
def test_accumulated_batches_are_one_step(tmp_path: Path) -> None:
    seen: list[Any] = []
    trainer_of(tmp_path, seen, gradient_accumulation_steps=3, eval_strategy="no").train()
    assert [found.step for found in seen] == [0, 0, 0, 1, 1, 1]


@pytest.mark.filterwarnings("ignore")
def test_an_evaluation_and_a_prediction_by_themselves(tmp_path: Path) -> None:
    seen: list[Any] = []
    trainer = trainer_of(tmp_path, seen)
    evaluated = [(0, None, "evaluation"), (1, None, "evaluation")]
    trainer.evaluate()
    assert seen == evaluated
    seen.clear()
    trainer.predict([TRAIN] * 7)
    assert seen == [(number, None, "predict") for number in range(3)]
    seen.clear()
    trainer.evaluate({"a": [TRAIN] * 5, "b": [TRAIN] * 5})
    assert seen == evaluated * 2
    assert steps.current is None


@pytest.mark.filterwarnings("ignore")
def test_a_name_of_the_user_s_own_is_left_alone(tmp_path: Path) -> None:
    seen: list[Any] = []
    trainer = trainer_of(tmp_path, seen)
    with ca_engine.step(7, phase="held out"):
        trainer.evaluate()
        assert steps.current == (7, None, "held out")
    assert seen == [(7, None, "held out")] * 2


@pytest.mark.filterwarnings("ignore")
def test_a_callback_that_is_added_later(tmp_path: Path) -> None:
    from ca_engine.integrations.transformers import StepCallback

    seen: list[Any] = []
    trainer = trainer_of(tmp_path, seen, eval_strategy="epoch")
    trainer.remove_callback(StepCallback)
    for name in ("evaluate", "predict"):
        delattr(trainer, name)
    trainer.add_callback(StepCallback())
    trainer.train()
    assert [found.phase for found in seen] == (["train"] * 3 + ["evaluation"] * 2) * 2


@pytest.mark.filterwarnings("ignore")
def test_a_trainer_can_be_sent_and_freed(tmp_path: Path) -> None:
    from accelerate.state import GradientState

    GradientState._reset_state()  # it is global, and knows the data loaders of earlier tests
    seen: list[Any] = []
    trainer = trainer_of(tmp_path, [])
    trainer.model._forward_pre_hooks.clear()
    sent = pickle.loads(pickle.dumps(trainer))
    sent.model.register_forward_pre_hook(lambda *_: seen.append(steps.current))
    sent.evaluate()
    assert [found.phase for found in seen] == ["evaluation"] * 2
    assert vars(sent)["evaluate"]._trainer() is sent
    collected = weakref.ref(vars(trainer)["evaluate"])
    del vars(trainer)["evaluate"], vars(trainer)["predict"]
    assert collected() is None


@pytest.mark.filterwarnings("ignore")
def test_captures_say_which_step(tmp_path: Path) -> None:
    with (
        ca_engine.record(tmp_path / "run"),
        ca_engine.enable(lambda module: module),
    ):
        trainer_of(tmp_path, [], eval_strategy="no").train()
    words = [found.loop.words for found in ca_reports.load([tmp_path / "run"]).captures
             if found.loop is not None]  # fmt: skip
    assert words[0] == "step 0, epoch 0, train"
    # The third batch of an epoch has one sample.
    assert "step 2, epoch 0, train" in words


@pytest.mark.skipif(not packed.PROGRAMS.is_dir(), reason="the corpus is in no sdist")
@pytest.mark.long
def test_a_compiled_trainer_s_two_causes_are_told_apart(tmp_path: Path) -> None:
    # GIVEN 26 rows of 8 to 24 tokens in batches of 4, and no compiled autograd
    program = packed.PROGRAMS / "hf_trainer"
    for name in ("train.py", "data.py", "model.py"):
        shutil.copy(program / name, tmp_path)
    ca = Path(sys.executable).with_name("ca")
    explain = ["explain-recompiles", "run", "--format", "json"]
    for arguments in (["run", "-o", "run", "train.py"], explain):
        done = subprocess.run(
            [ca, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True
        )

    # THEN the batch and the length have a finding each, with what to set and where
    batch, length = json.loads(done.stdout)["findings"]
    assert (batch["code"], batch["severity"]) == ("CA101", "warning")
    assert "from 4 to 2 (dimension 0 of" in batch["message"]
    assert "dataloader_drop_last=True" in batch["fix"]
    assert "options = TrainingArguments(" in batch["location"]["code"]
    assert (length["code"], length["severity"]) == ("CA102", "info")
    assert "`input_ids` varied in dimension 1: 24, 23, 12; one compile of" in length["message"]
    # torch made the second length dynamic, so that all after it ran on one graph
    assert length["fix"] == "to save even that, compile with dynamic=True"
    assert "longest = max(" in length["location"]["code"]


def test_without_transformers_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "ca_engine.integrations.transformers"
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ModuleNotFoundError) as told:
        importlib.import_module(name)
    assert str(told.value) == (
        "ca_engine.integrations.transformers needs Transformers: "
        "pip install 'ca-profiler[transformers]'"
    )
