"""The tables of what functions do to sizes and strides, against torch and numpy."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ca_reports.torchlib import shapes

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")
F = torch.nn.functional


def tensor() -> Any:
    return torch.arange(24.0).reshape(4, 6)


# How each is called where `f(x)` or `x.f(2)` is not it.
CUTTING: dict[str, Callable[..., Any]] = {
    "split_with_sizes": lambda x: x.split_with_sizes([3, 1]),
    "unbind": lambda x: x.unbind(),
    "narrow": lambda x: [x.narrow(0, 0, 2), x.narrow(0, 2, 2)],
    "select": lambda x: [x.select(0, 0), x.select(0, 1)],
}


@pytest.mark.parametrize("name", shapes.PARTS)
def test_parts_share_the_storage_further_on(name: str) -> None:
    whole = tensor()
    parts = CUTTING.get(name, lambda x: getattr(x, name)(2))(whole)
    assert parts[1].untyped_storage().data_ptr() == whole.untyped_storage().data_ptr()
    assert parts[1].storage_offset() > 0


@pytest.mark.parametrize("name", shapes.SPLITS_OF_TENSORS)
def test_tensors_are_split_by_a_last_argument(name: str) -> None:
    sizes = [4, 2] if name == "split_with_sizes" else 2
    assert getattr(tensor(), name)(sizes, 1)[0].shape[0] == 4
    assert getattr(torch, name)(tensor(), sizes, 1)[0].shape[0] == 4


@pytest.mark.parametrize("name", sorted({*shapes.CUTS} - {*shapes.SPLITS_OF_TENSORS}))
def test_the_other_cuts_are_pythons_and_numpys(name: str) -> None:
    # `itertools.batched` came with Python 3.12.
    assert hasattr(np, name) or hasattr(itertools, name) or name == "batched"


@pytest.mark.parametrize("name", [*shapes.JOINS, "stack"])
def test_what_joins_takes_a_sequence(name: str) -> None:
    joined = [
        getattr(module, name)([one, one])
        for module, one in ((torch, tensor()), (np, np.ones((4, 6))))
        if hasattr(module, name)
    ]
    assert joined
    assert all(one.ndim == (3 if name == "stack" else 2) for one in joined)


STRIDING: dict[str, tuple[Any, ...]] = {
    "permute": (1, 0),
    "t": (),
    "rot90": (),
    "as_strided": ((6, 4), (1, 6)),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims", "movedim", "moveaxis"), (0, 1)),
}


@pytest.mark.parametrize("name", shapes.STRIDED)
def test_what_changes_strides_gives_a_tensor_that_is_not_contiguous(name: str) -> None:
    if name in ("expand", "broadcast_to"):
        assert not getattr(torch.ones(4, 1), name)(4, 6).is_contiguous() or name == "broadcast_to"
        assert not torch.ones(4, 1).broadcast_to((4, 6)).is_contiguous()
    elif name == "expand_as":
        assert not torch.ones(4, 1).expand_as(tensor()).is_contiguous()
    else:
        assert not getattr(tensor(), name)(*STRIDING[name]).is_contiguous()


@pytest.mark.parametrize("name", shapes.PERMUTES)
def test_what_permutes_moves_a_dimension(name: str) -> None:
    assert getattr(tensor(), name)(*STRIDING[name]).shape == (6, 4)


@pytest.mark.parametrize("name", shapes.TRANSPOSED)
def test_attributes_are_the_tensor_transposed(name: str) -> None:
    assert getattr(tensor(), name).shape == (6, 4)


@pytest.mark.parametrize("name", shapes.TAKES_MEMORY_FORMAT)
def test_methods_that_take_a_memory_format(name: str) -> None:
    image = getattr(torch.ones(2, 3, 4, 5), name)(memory_format=torch.channels_last)
    assert image.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("name", shapes.CHANGES_RANK)
def test_what_changes_the_rank(name: str) -> None:
    given = {"squeeze": (1,), "unsqueeze": (1,), "flatten": (), "unflatten": (0, (2, 2))}[name]
    whole = torch.ones(4, 1) if name == "squeeze" else tensor()
    assert getattr(whole, name)(*given).ndim != whole.ndim


@pytest.mark.parametrize("name", sorted(shapes.REDUCTIONS))
def test_reductions_take_away_a_dimension(name: str) -> None:
    result = getattr(tensor(), name)(dim=0)
    values = result if isinstance(result, torch.Tensor) else result.values
    assert values.shape == (6,)


# torch's own word for it, by the operator that the function calls.
TAGGED = {
    "nonzero": "nonzero", "masked_select": "masked_select", "unique": "_unique2",
    "unique_consecutive": "unique_consecutive", "bincount": "bincount",
    "repeat_interleave": "repeat_interleave",
}  # fmt: skip


@pytest.mark.parametrize("name", shapes.BY_VALUE)
def test_values_decide_the_size(name: str) -> None:
    if name == "nms":
        return  # torchvision's
    if name == "argwhere":
        assert torch.argwhere(torch.tensor([0, 1])).shape != torch.argwhere(torch.ones(2)).shape
        return
    packet = getattr(torch.ops.aten, TAGGED[name])
    tags = {tag for one in packet.overloads() for tag in getattr(packet, one).tags}
    assert torch.Tag.dynamic_output_shape in tags


def test_every_operator_of_dynamic_shape_that_has_a_public_name_is_known() -> None:
    """A tensor is indexed by a mask, and `where` is given one tensor, as `nonzero`."""
    known = {*shapes.BY_VALUE, "where", "index"}
    found = set()
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        if name.startswith("_") or not hasattr(packet, "overloads"):
            continue
        tags = {tag for one in packet.overloads() for tag in getattr(packet, one).tags}
        if torch.Tag.dynamic_output_shape in tags:
            found.add(name)
    public = {name for name in found if hasattr(torch, name) or hasattr(torch.Tensor, name)}
    assert public - known == set()


@pytest.mark.parametrize("name", shapes.OF_SIZES)
def test_sizes_are_given_one_by_one_or_together(name: str) -> None:
    make = getattr(torch, name)
    assert make(2, 3).shape == make((2, 3)).shape == (2, 3)


@pytest.mark.parametrize(("name", "at"), shapes.SIZE_AT.items())
def test_sizes_are_at_a_place(name: str, at: int) -> None:
    arguments: list[Any] = [7]
    arguments.insert(at if at >= 0 else len(arguments), (2, 3))
    assert getattr(torch, name)(*arguments).shape == (2, 3)


@pytest.mark.parametrize("name", shapes.RANGES)
def test_ranges_are_as_long_as_numbers_say(name: str) -> None:
    make = partial(getattr(torch, name), *((0, 1) if name == "linspace" else ()))
    assert (len(make(3)), len(make(5))) == (3, 5)


@pytest.mark.parametrize("name", shapes.OF_ANOTHER)
def test_methods_make_another_tensor_of_a_dtype(name: str) -> None:
    given: Any = {"new_full": ((2,), 1), "new_tensor": ([1],)}.get(name, ((2,),))
    assert getattr(torch.ones(1, dtype=torch.float16), name)(*given).dtype == torch.float16


@pytest.mark.parametrize(("name", "at"), shapes.DRAWN.items())
def test_numpys_generators_take_a_size_at_a_place(name: str, at: int) -> None:
    known: dict[str, list[Any]] = {"choice": [[1, 2]], "integers": [0, 9], "uniform": [0, 1]}
    arguments = known.get(name, [0.5] if at == 1 else [3, 0.5])
    assert getattr(np.random.default_rng(0), name)(*arguments, 4).shape == (4,)
    assert len(arguments) == at


@pytest.mark.parametrize("name", sorted(shapes.TAKES_COUNTS | shapes.TAKES_DYNAMIC))
def test_what_takes_numbers_is_torchs(name: str) -> None:
    assert any(hasattr(one, name) for one in (torch, torch.Tensor, F))
