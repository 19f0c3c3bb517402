"""The tables about data loaders, against torch."""

from __future__ import annotations

import inspect
from operator import attrgetter

import pytest

from ca_reports.torchlib import loaders

torch = pytest.importorskip("torch")


def test_what_gives_batches_takes_their_size() -> None:
    data = torch.utils.data
    for name in {*loaders.BATCHING} - {"StatefulDataLoader"}:  # torchdata's
        parameters = inspect.signature(getattr(data, name)).parameters
        assert {"batch_size", "drop_last"} <= {*parameters}
    assert {*loaders.LOADERS} < {*loaders.BATCHING}


def test_the_names_are_of_one_class() -> None:
    found = {attrgetter(name.removeprefix("torch."))(torch) for name in loaders.QUALIFIED}
    assert found == {torch.utils.data.DataLoader}


def test_parameters_are_in_their_order() -> None:
    signature = inspect.signature(torch.utils.data.DataLoader)
    assert tuple(signature.parameters)[: len(loaders.PARAMETERS)] == loaders.PARAMETERS
    assert {*loaders.BESIDE_SIZE} <= {*loaders.PARAMETERS}


def test_trainers_arguments_name_the_size_of_a_batch() -> None:
    transformers = pytest.importorskip("transformers")
    arguments = getattr(transformers, loaders.TRAINERS_ARGUMENTS)
    assert "per_device_train_batch_size" in inspect.signature(arguments).parameters
    assert hasattr(transformers, loaders.TRAINERS[0])


def test_a_library_is_known_by_a_file_of_its_loop() -> None:
    own = "/home/me/train.py"
    trainer = "/v/site-packages/transformers/trainer.py"
    assert loaders.library_of([own]) is None
    assert loaders.library_of([own, trainer]) == "Transformers"
    assert loaders.library_of([trainer, "/v/site-packages/trl/trainer/sft_trainer.py"]) == "TRL"
    windows = "C:\\v\\lightning\\pytorch\\loops\\fit_loop.py"
    assert loaders.library_of([windows]) == "Lightning"
