"""Recompiles for the metadata of tensor subclasses: one cause, by the number that changes."""

from __future__ import annotations

from typing import Any

import pytest

from ca_reports.logs.stored import StoredText
from ca_reports.run.model import Compile
from tests.unit.reports.causes.rules.recompiled import compiled, explained

CHECK = "___check_metadata_14034511226438{}_c0/{}"
TREE = """\
+- RootGuardManager
| +- GuardManager: source=L['w'], accessed_by=FrameLocalsGuardAccessor(key='w'), type=<class 'T'>
| +- GuardManager: source=L['x'], accessed_by=FrameLocalsGuardAccessor(key='x'), type=<class 'S'>
| | +- TYPE_MATCH: ___check_type_id(L['x'], 94356831942288), type=<class 'scaled.Scaled'>
| | +- LAMBDA_GUARD: {}    # y = torch.mm(x, self.weight)  # net.py:17 in forward
"""


def made_of(number: int, attributes: dict[str, Any] | None, *, tree: bool = True) -> Compile:
    """Compile 0/``number`` for an object that has these numbers; None: nobody noted them."""
    given = None if attributes is None else {"x": {"type": "S", "attributes": attributes}}
    before = [CHECK.format(at, at) for at in reversed(range(number))]
    text = StoredText.pack(TREE.format(CHECK.format(number, number)).encode())
    return compiled(number, *before, arguments=given, guards=text if tree else None)


def test_a_number_that_changes_is_one_cause() -> None:
    scales = (2.5, 3.25, 2.75)
    found = explained(*(made_of(at, {"scale": scale}) for at, scale in enumerate(scales)))
    (finding,) = found.diagnosis.findings
    assert (finding.code, finding.compile_ids, finding.key) == ("CA702", ("0/1", "0/2"), "x.scale")
    assert "2.5 \u2192 3.25 \u2192 2.75, a new value each time" in finding.message
    assert "`__tensor_flatten__`" in finding.fix


@pytest.mark.parametrize(
    ("attributes", "code", "key"),
    [
        # Whole numbers, a flag, two at once (which is the metadata?), and nothing that is known.
        (({"bits": 4}, {"bits": 8}), "CA701", "x.bits"),
        (({"packed": True}, {"packed": False}), "CA708", "x.packed"),
        (({"a": 1, "b": 2}, {"a": 2, "b": 3}), "CA708", "x"),
        ((None, None), "CA708", "x"),
    ],
)
def test_other_metadata(attributes: tuple[Any, Any], code: str, key: str) -> None:
    found = explained(*(made_of(at, one) for at, one in enumerate(attributes)))
    (finding,) = found.diagnosis.findings
    assert (finding.code, finding.key) == (code, key)
    assert "metadata" in finding.message
    assert "`__tensor_flatten__`" in finding.fix


def test_a_log_without_trees_tells_one_cause_without_a_name() -> None:
    # GIVEN three recompiles, whose guards have an address each
    compiles = [made_of(at, None, tree=False) for at in range(4)]
    (finding,) = explained(*compiles, recorded=False).diagnosis.findings
    assert (finding.code, finding.count) == ("CA708", 3)
    assert "___check_metadata" not in finding.message + finding.fix
