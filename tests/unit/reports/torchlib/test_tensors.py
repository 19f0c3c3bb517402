"""The tables of what tells that a value is a tensor, against torch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from ca_reports.torchlib import tensors

torch = pytest.importorskip("torch")


def value() -> Any:
    return torch.ones(2, 3, requires_grad=True)


@pytest.mark.parametrize("name", [*tensors.DETACHES, *sorted(tensors.APART)])
def test_what_detaches_gives_the_same_values_in_another_tensor(name: str) -> None:
    whole = value() * 1
    result = getattr(whole, name)()
    assert torch.equal(result, torch.ones(2, 3))
    assert result.requires_grad == (name == "clone")
    assert (result is whole) == (name == "detach_")


@pytest.mark.parametrize("name", tensors.INTO_PYTHON)
def test_what_leaves_torch_is_no_tensor(name: str) -> None:
    assert not isinstance(getattr(torch.ones(1), name)(), torch.Tensor)


@pytest.mark.parametrize("name", sorted(tensors.OF_DATA - {"from_numpy", "from_dlpack"}))
def test_what_takes_data_makes_a_tensor_of_it(name: str) -> None:
    assert getattr(torch, name)([1, 2]).tolist() == [1, 2]


@pytest.mark.parametrize("name", sorted(tensors.OF_BOOL))
def test_what_asks_a_tensor_gives_a_tensor_of_bool(name: str) -> None:
    assert getattr(torch.ones(1), name)().dtype is torch.bool
    assert getattr(torch, name)(torch.ones(1)).dtype is torch.bool


@pytest.mark.parametrize("name", sorted({*tensors.SIZES, *tensors.OF_A_KIND}))
def test_what_tells_sizes_and_kinds_needs_no_values(name: str) -> None:
    def asked(of: Any) -> Any:
        found = getattr(of, name)
        return found() if callable(found) else found

    assert asked(torch.ones(2, 3)) == asked(torch.zeros(2, 3))


@pytest.mark.parametrize("name", sorted(tensors.VIEWS))
def test_attributes_that_are_tensors(name: str) -> None:
    whole = torch.ones(2, 3, dtype=torch.complex64, requires_grad=True)
    whole.grad = torch.ones_like(whole)
    assert isinstance(getattr(whole, name), torch.Tensor)


@pytest.mark.parametrize("name", sorted(tensors.OF_SAME_MEMORY))
def test_what_may_share_the_memory_of_a_tensor(name: str) -> None:
    kind = {"double": torch.float64, "half": torch.float16}.get(name, torch.float32)
    whole = torch.ones(2, 2, dtype=kind)
    arguments = {
        "view": (4,), "view_as": (whole,), "reshape": (4,), "unflatten": (0, (1, 2)),
        "unsqueeze": (0,), "transpose": (0, 1), "permute": (1, 0), "movedim": (0, 1),
        "narrow": (0, 0, 1), "select": (0, 0), "expand": (2, 2), "expand_as": (whole,),
        "chunk": (2,), "split": (1,), "to": (kind,), "type_as": (whole,),
    }  # fmt: skip
    found = getattr(whole, name)(*arguments.get(name, ()))
    first = found[0] if isinstance(found, tuple) else found
    assert first.data_ptr() == whole.data_ptr()


@pytest.mark.parametrize("module", tensors.COMPUTING)
def test_modules_that_compute_are_torchs(module: str) -> None:
    found = torch
    for part in module.split(".")[1:-1]:
        found = getattr(found, part)
    assert found is not None


@pytest.mark.parametrize("name", sorted(tensors.NO_TENSOR))
def test_what_returns_no_tensor_is_torchs(name: str) -> None:
    assert hasattr(torch, name) or hasattr(torch.Tensor, name)


@pytest.mark.parametrize("name", sorted(tensors.ONLY_OF_TENSORS))
def test_what_only_tensors_have_is_no_method_of_python(name: str) -> None:
    assert hasattr(torch.Tensor, name)
    assert not any(hasattr(kind, name) for kind in (list, dict, set, str, int, float))


@pytest.mark.parametrize("name", sorted(tensors.ASKED_OF_TENSORS))
def test_what_is_asked_of_tensors_is_theirs(name: str) -> None:
    assert hasattr(torch.Tensor, name)


@pytest.mark.parametrize("name", sorted(tensors.ASKED_OF_MASKS))
def test_what_is_asked_of_masks_is_no_attribute_of_a_bool(name: str) -> None:
    assert hasattr(torch.tensor([True]), name)
    assert not hasattr(True, name)


@pytest.mark.parametrize("name", sorted(tensors.COMMON_METHODS - {"copy"}))
def test_common_methods_are_of_tensors(name: str) -> None:
    assert hasattr(torch.Tensor, name)


@pytest.mark.parametrize("name", tensors.OF_NUMPY)
def test_arrays_keep_their_dtype(name: str) -> None:
    np = pytest.importorskip("numpy")
    assert getattr(torch, name)(np.ones(2)).dtype == torch.float64


@pytest.mark.parametrize(("name", "dtype"), tensors.DTYPE_OF_METHOD.items())
def test_methods_give_their_dtype(name: str, dtype: str) -> None:
    assert getattr(torch.ones(1), name)().dtype == getattr(torch, dtype)


@pytest.mark.parametrize(("name", "told"), tensors.SCALAR_TYPES.items())
def test_names_of_dtypes_are_those_of_c(name: str, told: str) -> None:
    # The old type of a tensor is called by the name that C++ has for its dtype.
    assert torch.empty(0, dtype=getattr(torch, name)).type() == f"torch.{told}Tensor"


def test_floating_dtypes_are_those_that_are_learned() -> None:
    assert all(getattr(torch, name).is_floating_point for name in tensors.FLOATING.values())
    others = {*tensors.SCALAR_TYPES} - {*tensors.FLOATING.values()}
    assert not any(getattr(torch, name).is_floating_point for name in others)


@pytest.mark.parametrize("name", tensors.SCALAR_NUMBERS.values())
def test_numbered_dtypes_are_torchs(name: str) -> None:
    assert isinstance(getattr(torch, name), torch.dtype)


@pytest.mark.parametrize("name", sorted(tensors.PARAMETER_TYPES))
def test_what_a_model_trains_is_of_these_classes(name: str) -> None:
    module, _, kind = name.rpartition(".")
    found = getattr(importlib.import_module(module), kind)
    assert issubclass(found, torch.nn.Parameter)
    assert (found.__module__, found.__qualname__) == (module, kind)


@pytest.mark.parametrize("name", sorted(tensors.SCALES_IN_PLACE))
def test_what_scales_in_place_leaves_zeros(name: str) -> None:
    zeros = torch.zeros(3)
    given = (2.0,) if name in ("mul_", "div_") else ()
    assert getattr(zeros, name)(*given) is zeros
    assert not zeros.any()
