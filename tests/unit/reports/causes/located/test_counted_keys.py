"""Dicts that a hook looks up, filled under numbers that are counted up for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.causes.findings import KeptByHook
from tests.unit.reports.causes.located.test_located import located, project

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

OFFLOAD = """
    # file: store.py
    import itertools
    import torch

    class Store(torch.autograd.graph.saved_tensors_hooks):
        def __init__(self):
            self.host, self.number, self.numbers = {{}}, 0, itertools.count()
            super().__init__(self.pack, self.unpack)

        def pack(self, tensor):
            {counting}
            {filling}
            {returned}

        def unpack(self, key):  # hook
            return self.host.pop(key)

        def {method}(self):
            {again}

    # file: train.py
    from store import Store
    store = Store()
    for x in loader:
        with store:
            loss = model(x).sum()
        loss.backward()  # backward
"""
USUAL = {
    "counting": "self.number += 1",
    "filling": "self.host[self.number] = tensor.cpu()",
    "returned": "return self.number",
    "method": "size",
    "again": "return len(self.host)",
}


def _found(tmp_path: Path, **changed: str) -> Finding:
    detail = KeptByHook("host", hook="`Store.unpack`", state="self.host", lacks=1)
    files = project(tmp_path, OFFLOAD.format(**USUAL | changed))
    return located(files, tmp_path, "CA303", forward="hook", detail=detail, fix="the rule's")


@pytest.mark.parametrize(
    ("changed", "counter", "line"),
    [
        ({}, "self.number", "self.number += 1"),
        ({"filling": "key = self.number; self.host[key] = tensor", "returned": "return key"},
         "self.number", "self.number += 1"),
        ({"counting": "key = next(self.numbers)", "filling": "self.host[key] = tensor",
          "returned": "return key"}, "self.numbers", "key = next(self.numbers)"),
    ],
)  # fmt: skip
def test_the_number_is_started_again_where_it_is_counted(
    tmp_path: Path, changed: dict[str, str], counter: str, line: str
) -> None:
    found = _found(tmp_path, **changed)

    assert found.location is not None
    assert found.location.code == line
    assert f"start `{counter}` again in each step" in found.fix
    assert "or let `Store.pack` return the value itself in place of its key" in found.fix
    assert "overwrite one tensor" not in found.fix


def test_a_key_that_is_not_given_back_is_no_place_for_the_value(tmp_path: Path) -> None:
    assert "the value itself" not in _found(tmp_path, returned="return None").fix


@pytest.mark.parametrize(
    "changed",
    [
        {"counting": "pass"},
        {"filling": "self.host[id(tensor)] = tensor.cpu()"},
        # It does start again, at times.
        {"method": "__enter__", "again": "self.number = 0"},
    ],
)
def test_what_is_not_counted_for_ever_is_not_said_to_be(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    fix = _found(tmp_path, **changed).fix
    assert fix.startswith("fill `self.host` under the same keys in each step")
    assert "again" not in fix


def test_the_variables_of_a_function_around_are_counted_as_attributes_are(tmp_path: Path) -> None:
    text = """
        # file: store.py
        def hooks():
            host, number = {}, 0
            def pack(tensor):
                nonlocal number
                number += 1
                host[number] = tensor.cpu()
                return number
            def unpack(key):  # hook
                return host.pop(key)
            return pack, unpack
        # file: train.py
        from store import hooks
        for x in loader:
            loss.backward()  # backward
    """
    detail = KeptByHook("cell_contents", cell=0, hook="`unpack`", state="the cell", lacks=3)
    files = project(tmp_path, text)
    found = located(files, tmp_path, "CA303", forward="hook", detail=detail, fix="the rule's")

    assert found.location is not None
    assert found.location.code == "number += 1"
    assert "`pack` fills `host` under a number that is counted up for ever" in found.fix
