"""The tables of what functions do to padding, against torch."""

from __future__ import annotations

from math import isinf
from typing import Any

import pytest

from ca_reports.torchlib import padding

torch = pytest.importorskip("torch")
F = torch.nn.functional
X = torch.tensor([[0.5, -1.5, 0.0], [2.0, 0.25, 0.0]])


def called(name: str, x: Any, *args: Any, **options: Any) -> Any:
    """The function of that name, from where it is."""
    for owner in (torch, F, torch.special):
        if hasattr(owner, name):
            return getattr(owner, name)(x, *args, **options)
    return getattr(x, name)(*args, **options)


@pytest.mark.parametrize("name", sorted(padding.KEEPS - {"cuda", "pin_memory", "to", "type_as"}))
def test_what_keeps_values(name: str) -> None:
    found = getattr(X, name)()
    assert torch.equal(found.double(), X.to(found.dtype).double())


@pytest.mark.parametrize("name", sorted(padding.CONVERTS))
def test_what_converts(name: str) -> None:
    found = getattr(torch.tensor([0.0, 2.0]), name)()
    assert found.tolist() == [padding.CONVERTS[name](0.0), padding.CONVERTS[name](2.0)]


@pytest.mark.parametrize("name", sorted(padding.OF_ZERO_ZERO | padding.ELEMENTWISE))
def test_what_is_computed_of_each_element(name: str) -> None:
    whole = called(name, X)
    assert torch.equal(whole[:, :2], called(name, X[:, :2].clone()))
    assert torch.isfinite(whole).all()
    is_zero = bool((whole[:, 2] == 0).all())
    assert is_zero == (name in padding.OF_ZERO_ZERO)


@pytest.mark.parametrize("name", sorted(padding.NORMALIZES))
def test_what_normalizes_along_one_dimension(name: str) -> None:
    assert torch.equal(called(name, X, dim=1)[:1], called(name, X[:1], dim=1))


@pytest.mark.parametrize("name", sorted(padding.NEUTRAL))
def test_what_has_no_part_in_a_reduction(name: str) -> None:
    whole = torch.cat([X, torch.full((2, 2), padding.NEUTRAL[name])], 1)
    options = {} if name in ("count_nonzero",) else {"dim": 1}
    found, alone = (called(name, one, **options) for one in (whole, X))
    if isinstance(found, tuple):
        found, alone = found[0], alone[0]
    assert torch.equal(found, alone)


@pytest.mark.parametrize("name", sorted(padding.COUNTS))
def test_what_counts_elements(name: str) -> None:
    longer = torch.cat([X, torch.full((2, 3), 9.0)], 1)
    found, alone = (called(name, one) for one in (longer, X))
    if isinstance(found, tuple):
        found, alone = found[0], alone[0]
    assert not torch.equal(found, alone)


@pytest.mark.parametrize("name", sorted(padding.COMPARES))
def test_comparisons(name: str) -> None:
    for one, other in ((1.0, 2.0), (2.0, 1.0), (1.0, 1.0)):
        found = getattr(torch.tensor(one), name)(torch.tensor(other))
        assert bool(found) == padding.COMPARES[name](one, other)


@pytest.mark.parametrize("name", sorted(padding.MADE_OF))
def test_what_is_made_of_one_number(name: str) -> None:
    given = X if name.endswith("_like") else (2, 3)
    made = getattr(X, name)(given) if name.startswith("new_") else getattr(torch, name)(given)
    assert made.tolist() == [[padding.MADE_OF[name]] * 3] * 2


@pytest.mark.parametrize("name", sorted(padding.FILLED))
def test_what_is_filled_with_a_number(name: str) -> None:
    given = {"full": ((2, 3), 7.0), "full_like": (X, 7.0), "new_full": (X, (2, 3), 7.0)}[name]
    made = X.new_full(*given[1:]) if name == "new_full" else getattr(torch, name)(*given)
    assert (made == 7.0).all()
    assert given[padding.FILLED[name]] == 7.0


def test_names() -> None:
    for name, kind in (padding.IGNORES | padding.OF_ELEMENTS).items():
        assert hasattr(F, name)
        assert hasattr(torch.nn, kind)
    for name in padding.RESHAPES | padding.BROADCASTS:
        assert hasattr(torch.Tensor, name) or hasattr(torch, name)
    for name in padding.DRAWS:
        assert hasattr(torch, name)
    assert torch.nn.CrossEntropyLoss().ignore_index == padding.IGNORED
    assert [name for name, one in padding.NEUTRAL.items() if isinf(one)]
