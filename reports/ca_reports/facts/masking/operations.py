"""Effects of torch operations on padding, by the last name of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import inf, prod
from typing import Any

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.masking.fills import (
    PLAIN,
    Dimensions,
    Fill,
    Growing,
    HasPartError,
    Known,
    Several,
    Size,
    Tensor,
    add,
    at_zero,
    both,
    chosen,
    compared,
    divide,
    either,
    elementwise,
    growing,
    inverted,
    is_number,
    multiply,
    reduced,
    subtract,
)
from ca_reports.torchlib import padding


@dataclass(slots=True)
class Call:
    """A call of an operation: its arguments, a method's object first, and its result's dimensions.

    ``longest`` is the largest size that is padded to. ``draws`` is set where random numbers are
    drawn, which are others for other sizes.
    """

    name: str
    args: Sequence[Any]
    named: Mapping[str, Any] = field(default_factory=dict)
    dims: tuple[Size, ...] | None = None
    longest: int = 0
    draws: bool = False

    def argument(self, name: str, place: int, otherwise: Any = None) -> Any:
        """Return an argument by its name or place."""
        if name in self.named:
            return self.named[name]
        return self.args[place] if place < len(self.args) else otherwise

    def tensor(self, place: int, name: str = "input") -> Tensor:
        """Return a tensor that must be given. Raises `HasPartError`."""
        found = self.argument(name, place)
        if not isinstance(found, Tensor):
            raise HasPartError(f"{self.name}() of something else")
        return found


def result(call: Call) -> Any:
    """Return what the call gives. Raises `HasPartError` where padding may have a part in it."""
    name = call.name
    if name not in _TAKE_SIZES and _holds_size((*call.args, *call.named.values())):
        raise HasPartError(f"the length is given to {name}()")
    made = _BY_NAME.get(name)
    if made is not None:
        return made(call)
    if name in _ELEMENTWISE:
        return elementwise(_ELEMENTWISE[name], call.args[:2], call.dims)
    for names, make in _BY_KIND:
        if name in names:
            return make(call)
    return _unknown(call)


def padded_within(value: Any) -> bool:
    """Return whether a value is, or holds, padding, or a size that grows with it."""
    if isinstance(value, Tensor):
        return value.is_padded
    if isinstance(value, Mapping):
        return any(map(padded_within, value.values()))
    if isinstance(value, slice):
        return any(map(padded_within, (value.start, value.stop, value.step)))
    if isinstance(value, tuple | list):
        return any(map(padded_within, value))
    return isinstance(value, Growing | Several | Dimensions)


def keeps_batch(call: Call) -> bool:
    """Return whether the first dimension of the result is known not to grow, by those given."""
    padded = [one for one in call.args if isinstance(one, Tensor) and one.is_padded]
    first = call.args[0] if call.args else None
    numbers = [one for one in call.args[1:] if isinstance(one, int)]
    if call.name in _SAME_PLACES:
        return any(one.is_batch for one in padded)
    if call.name == "unsqueeze":
        dim = call.argument("dim", 1)
        behind = isinstance(first, Tensor) and first.is_batch and isinstance(dim, int)
        return dim == 0 or (behind and (dim > 0 or dim == -1))
    if call.name in ("transpose", "swapaxes", "swapdims"):
        behind = len(numbers) == 2 and min(numbers) > 0
        return behind and isinstance(first, Tensor) and first.is_batch
    return False


def _holds_size(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(_holds_size, value))
    return isinstance(value, Growing)


def _unknown(call: Call) -> Any:
    def made(dims: tuple[Size, ...] | None) -> Tensor:
        if dims is not None and growing(dims):
            raise HasPartError(f"{call.name}()")
        return Tensor(dims)

    if padded_within((*call.args, *call.named.values())):
        raise HasPartError(f"{call.name}()")
    return Several(made) if call.dims is None else made(call.dims)


def _kept(call: Call) -> Any:
    one = call.tensor(0)
    return replace(one, dims=call.dims or one.dims)


def _converted(call: Call) -> Any:
    kind = padding.CONVERTS[call.name]
    one = _kept(call)
    fills = {axis: kind(fill) if is_number(fill) else fill for axis, fill in one.fills.items()}
    value = None if one.value is None else kind(one.value)
    return replace(one, fills=fills, value=value)


def _unary(call: Call) -> Any:
    return elementwise(at_zero(call.name), [call.tensor(0)], call.dims or call.tensor(0).dims)


def _inverted(call: Call) -> Any:
    return elementwise(inverted, [call.tensor(0)], call.dims)


def _power(call: Call) -> Any:
    exponent = call.args[1] if len(call.args) > 1 else None
    if not isinstance(exponent, int | float) or exponent <= 0:
        return _unknown(call)
    if exponent != int(exponent):
        return _unknown(call)
    return elementwise(at_zero("square"), [call.tensor(0)], call.dims)


def _clamped(call: Call) -> Any:
    def clamp(one: Fill) -> Fill:
        low, high = call.argument("min", 1), call.argument("max", 2)
        if not is_number(one):
            return add(one, 0.0)
        one = one if low is None else max(one, low)
        return one if high is None else min(one, high)

    bounds = (call.argument("min", 1), call.argument("max", 2))
    if any(one is not None and not is_number(one) for one in bounds):
        return _unknown(call)
    return elementwise(clamp, [call.tensor(0)], call.dims)


def _masked_fill(call: Call) -> Any:
    one, mask = call.tensor(0), call.tensor(1, "mask")
    value = call.argument("value", 2)
    if isinstance(value, Tensor):
        value = value.value
    if not is_number(value):
        return _unknown(call)
    return elementwise(chosen, [mask, value, one], call.dims or one.dims)


def _where(call: Call) -> Any:
    if len(call.args) != 3:
        return _unknown(call)
    return elementwise(chosen, call.args, call.dims)


def _made(call: Call) -> Any:
    return _of_number(padding.MADE_OF[call.name], call.dims)


def _filled(call: Call) -> Any:
    value = call.argument("fill_value", padding.FILLED[call.name])
    if not is_number(value):
        return _unknown(call)
    return _of_number(value, call.dims)


def _of_number(value: float, dims: tuple[Size, ...] | None) -> Tensor:
    return Tensor(dims, dict.fromkeys(growing(dims), value) if dims is not None else {}, value)


def _counted(call: Call) -> Any:
    numbers = [one for one in call.args if isinstance(one, int | Growing)]
    if call.dims is None or numbers[:-1] not in ([], [0]):
        return _unknown(call)
    if not growing(call.dims):
        return Tensor(call.dims)
    fills: dict[int, Fill] = dict.fromkeys(growing(call.dims), Known.PLACE)
    return Tensor(call.dims, fills, unpadded=Known.BEFORE)


def _drawn(call: Call) -> Any:
    if padded_within(call.args) or (call.dims is not None and growing(call.dims)):
        call.draws = True
    fills: dict[int, Fill] = dict.fromkeys(growing(call.dims), Known.ANY) if call.dims else {}
    return Tensor(call.dims, fills)


def _dropped(call: Call) -> Any:
    one = _kept(call)
    share, training = call.argument("p", 1, 0.5), call.argument("training", 2, True)
    if training is not False and share != 0 and one.is_padded:
        call.draws = True
        fills: dict[int, Fill] = {
            axis: 0.0 if is_number(fill) and fill == 0 else Known.ANY
            for axis, fill in one.fills.items()
        }
        return replace(one, fills=fills, value=None)
    return one


def _normalized(call: Call) -> Any:
    one = call.tensor(0)
    axis = call.argument("dim", 1, -1)
    if one.dims is None or not isinstance(axis, int):
        return _unknown(call)
    at = one.axis(axis)
    fills: dict[int, Fill] = dict.fromkeys(one.fills, Known.ANY)
    if at in one.fills:
        if call.name != "softmax" or one.fills[at] != -inf:
            raise HasPartError(f"{call.name}() along it")
        fills[at] = 0.0
    return Tensor(one.dims, fills)


def _layer_norm(call: Call) -> Any:
    one, shape = call.tensor(0), call.argument("normalized_shape", 1)
    if one.dims is None or not isinstance(shape, tuple | list):
        return _unknown(call)
    if any(axis >= len(one.dims) - len(shape) for axis in one.fills):
        raise HasPartError(f"{call.name}() over it")
    return Tensor(one.dims, dict.fromkeys(one.fills, Known.ANY))


def _reduction(call: Call) -> Any:
    one = call.tensor(0)
    given = call.argument("dim", 1)
    if isinstance(given, Tensor):  # torch.max(a, b)
        return elementwise(_larger, call.args[:2], call.dims)
    axes = [given] if isinstance(given, int) else given
    if axes is not None and not all(isinstance(each, int) for each in axes):
        return _unknown(call)
    kept = call.argument("keepdim", 2, False) is True
    if call.dims is None and axes is not None and one.dims is not None:
        return Several(lambda dims: reduced(call.name, one, axes, dims, kept=kept))
    return reduced(call.name, one, axes, call.dims, kept=kept)


def _larger(one: Fill, other: Fill) -> Fill:
    return add(one, other) if not (is_number(one) and is_number(other)) else max(one, other)


def _linear(call: Call) -> Any:
    one, bias = call.tensor(0), call.argument("bias", 2)
    if one.dims is None or padded_within(call.args[1:]):
        return _unknown(call)
    if len(one.dims) - 1 in one.fills:
        raise HasPartError(f"{call.name}() over it")
    return Tensor(call.dims, {axis: _product(fill, bias) for axis, fill in one.fills.items()})


def _product(fill: Fill, bias: Any) -> Fill:
    is_zero = is_number(fill) and fill == 0
    return 0.0 if is_zero and bias is None else Known.ANY


def _matmul(call: Call) -> Any:
    one, other = call.tensor(0), call.tensor(1, "other")
    if one.dims is None or other.dims is None or call.dims is None:
        return _unknown(call)
    if min(len(one.dims), len(other.dims)) < 2:
        return _unknown(call)
    _contracted(one.fills.get(len(one.dims) - 1), other.fills.get(len(other.dims) - 2))
    rank = len(call.dims)
    fills: dict[int, Fill] = {}
    for axis in growing(call.dims):
        of_one = None if axis == rank - 1 else _at(one, axis, rank)
        of_other = None if axis == rank - 2 else _at(other, axis, rank)
        zero = any(is_number(fill) and fill == 0 for fill in (of_one, of_other))
        inner = len(one.dims) - 1 in one.fills
        fills[axis] = 0.0 if zero and not inner else Known.ANY
    return Tensor(call.dims, fills)


def _at(one: Tensor, axis: int, rank: int) -> Fill | None:
    assert one.dims is not None
    return one.fills.get(axis - (rank - len(one.dims)))


def _contracted(one: Fill | None, other: Fill | None) -> None:
    """Require that padding has no part in a sum of products. Raises `HasPartError`."""
    if (one, other) == (None, None):
        return
    zero = any(is_number(fill) and fill == 0 for fill in (one, other))
    if not zero or any(is_number(fill) and abs(fill) == inf for fill in (one, other)):
        raise HasPartError("a product sums over it")


def _embedding(call: Call) -> Any:
    index, weight = call.tensor(0), call.tensor(1, "weight")
    if padded_within(weight):
        return _unknown(call)
    rows = weight.dims[0][0] if weight.dims else 0
    if Known.PLACE in index.fills.values() and rows < call.longest:
        raise HasPartError(f"a table of {rows} rows for {call.longest} places")
    return Tensor(call.dims, dict.fromkeys(index.fills, Known.ANY))


def _concatenated(call: Call) -> Any:
    parts, axis = call.args[0], call.argument("dim", 1, 0)
    if not isinstance(parts, tuple | list) or call.dims is None or not isinstance(axis, int):
        return _unknown(call)
    rank = len(call.dims)
    axis += rank if axis < 0 else 0
    if any(not isinstance(one, Tensor) or one.dims is None for one in parts):
        return _unknown(call)
    if any(axis in one.fills for one in parts[:-1]):
        raise HasPartError("something is put behind it")
    fills: dict[int, Fill] = {}
    for at in growing(call.dims):
        own = [one.fill(at, rank) for one in ([parts[-1]] if at == axis else parts)]
        fills[at] = own[0] if len(set(map(repr, own))) == 1 else _any_of(own)
    return Tensor(call.dims, fills)


def _any_of(fills: Sequence[Fill]) -> Fill:
    for fill in fills:
        multiply(fill, Known.ANY)  # neither infinite nor a place
    return Known.ANY


def _stacked(call: Call) -> Any:
    parts, axis = call.args[0], call.argument("dim", 1, 0)
    if not isinstance(parts, tuple | list) or not isinstance(axis, int) or call.dims is None:
        return _unknown(call)
    axis += len(call.dims) if axis < 0 else 0
    fills: dict[int, Fill] = {}
    for at in growing(call.dims):
        own = [one.fills.get(at - (at > axis), Known.SAME) for one in parts]
        fills[at] = own[0] if len(set(map(repr, own))) == 1 else _any_of(own)
    return Tensor(call.dims, fills)


def _permuted(call: Call) -> Any:
    one = call.tensor(0)
    if one.dims is None:
        return one
    order = list(range(len(one.dims)))
    if call.name == "permute":
        given = call.args[1] if isinstance(call.args[1], tuple | list) else call.args[1:]
        order = [one.axis(each) for each in given]
    elif call.name in ("t", "T", "mT"):
        order[-1], order[-2] = order[-2], order[-1]
    else:
        first, second = (one.axis(each) for each in call.args[1:3])
        order[first], order[second] = order[second], order[first]
    return replace(
        one,
        dims=call.dims,
        fills={order.index(axis): fill for axis, fill in one.fills.items()},
    )


def _reshaped(call: Call) -> Any:
    one = call.tensor(0)
    if one.dims is None or not one.is_padded:
        return replace(one, dims=call.dims)
    if call.dims is None:
        return _unknown(call)
    return replace(one, dims=call.dims, fills=_reshaped_fills(one, call.dims))


def _reshaped_fills(one: Tensor, dims: tuple[Size, ...]) -> dict[int, Fill]:
    """Find each growing dimension of the other shape, with the same elements before and behind."""
    assert one.dims is not None
    before, after = sorted(one.fills), growing(dims)
    if len(before) != len(after):
        raise HasPartError("its dimensions are made one")
    fills: dict[int, Fill] = {}
    for old, new in zip(before, after, strict=True):
        ahead, now = (prod(size for size, _ in all_[:at]) for all_, at in
                      ((one.dims, old), (dims, new)))  # fmt: skip
        part, rest = divmod(dims[new][0], one.dims[old][0])
        is_alike = not rest and part and ahead % now == 0 and part % (ahead // now) == 0
        if not is_alike:
            raise HasPartError("it gets among other elements")
        fills[new] = one.fills[old]
    return fills


def _broadcast(call: Call) -> Any:
    one = call.tensor(0)
    if call.dims is None or one.dims is None:
        return _unknown(call)
    rank = len(call.dims)
    return replace(
        one, dims=call.dims, fills={axis: one.fill(axis, rank) for axis in growing(call.dims)}
    )


def _triangle(call: Call) -> Any:
    """Return the part below the diagonal of a square of places, or above it."""
    one, diagonal = call.tensor(0), call.argument("diagonal", 1, 0)
    if one.dims is None or not isinstance(diagonal, int):
        return _unknown(call)
    last = len(one.dims) - 1
    if set(one.fills) != {last - 1, last}:
        return _unknown(call)
    below = call.name == "tril"
    # Behind the last place there is nothing below the diagonal, and all is above it.
    if diagonal > (0 if below else 1):
        return _unknown(call)
    if below:
        rows = one.fills[last - 1] if diagonal >= -1 else Known.ANY
        return Tensor(one.dims, {last: 0.0, last - 1: rows})
    return Tensor(one.dims, {last: one.fills[last], last - 1: 0.0 if diagonal >= 0 else Known.ANY})


def _summed_up(call: Call) -> Any:
    one = call.tensor(0)
    return replace(one, fills=dict.fromkeys(one.fills, Known.ANY), value=None)


def _classes(call: Call) -> Any:
    """Return a loss of classes: targets that are ignored have no part in it."""
    loss, target = call.tensor(0), call.tensor(1, "target")
    if not (loss.is_padded or target.is_padded):
        return Tensor(call.dims)
    if loss.dims is not None and min(1, len(loss.dims) - 1) in loss.fills:
        raise HasPartError(f"{call.name}() of it: it is among the classes")
    reduction = call.argument("reduction", 6, "mean")
    ignored = call.argument("ignore_index", 4, padding.IGNORED)
    is_ignored = bool(target.fills) and all(fill == ignored for fill in target.fills.values())
    if not is_ignored or call.argument("size_average", 3) is not None:
        raise HasPartError(f"{call.name}() of it, whose targets there are not ignored")
    if reduction == "none":
        return Tensor(call.dims, dict.fromkeys(growing(call.dims), 0.0))
    return PLAIN if call.dims is None else Tensor(call.dims)


def _of_elements(call: Call) -> Any:
    if not padded_within(call.args):
        return Tensor(call.dims)
    if call.argument("reduction", 99, "mean") != "none" or call.argument("size_average", 99):
        raise HasPartError(f"{call.name}() over it")
    fills: dict[int, Fill] = dict.fromkeys(growing(call.dims), Known.ANY)
    return Tensor(call.dims, fills)


def _attention(call: Call) -> Any:
    query, key = call.tensor(0, "query"), call.tensor(1, "key")
    value, mask = call.tensor(2, "value"), call.argument("attn_mask", 3)
    dropped, is_causal = call.argument("dropout_p", 4, 0.0), call.argument("is_causal", 5, False)
    if query.dims is None or key.dims is None or value.dims is None or call.dims is None:
        return _unknown(call)
    places = len(key.dims) - 2
    if any(set(one.fills) - {places} for one in (query, key, value)):
        return _unknown(call)
    call.draws |= dropped != 0
    _masked_keys(key, places, query, mask, is_causal=is_causal is True)
    return Tensor(call.dims, dict.fromkeys(growing(call.dims), Known.ANY))


def _masked_keys(key: Tensor, places: int, query: Tensor, mask: Any, *, is_causal: bool) -> None:
    """Require that no place before the padding attends to it. Raises `HasPartError`."""
    if places not in key.fills:
        return
    if is_causal and places in query.fills:
        return
    last = None if not isinstance(mask, Tensor) or mask.dims is None else len(mask.dims) - 1
    if last is None or not _leaves_out(mask.fills.get(last), when=False):
        raise HasPartError("attention to it, without a mask")


def _heads(call: Call) -> Several:
    """Return what `multi_head_attention_forward` gives; its inputs have places first."""
    query, key = call.tensor(0, "query"), call.tensor(1, "key")
    mask, attention = call.argument("key_padding_mask", 14), call.argument("attn_mask", 16)
    if query.dims is None or key.dims is None:
        return Several(lambda _: _unknown(call))
    dropped, training = call.argument("dropout_p", 10, 0.0), call.argument("training", 13, True)
    call.draws |= bool(dropped) and training is not False
    masked = any(
        isinstance(one, Tensor)
        and one.dims is not None
        and _leaves_out(one.fills.get(len(one.dims) - 1), when=True)
        for one in (mask, attention)
    )
    is_causal = call.argument("is_causal", 24, False) is True
    if 0 in key.fills and not masked and not (is_causal and 0 in query.fills):
        raise HasPartError("attention to it, without a mask")
    if set(key.fills) - {0} or set(query.fills) - {0}:
        return Several(lambda _: _unknown(call))
    return Several(lambda dims: Tensor(dims, dict.fromkeys(growing(dims), Known.ANY)))


def _leaves_out(fill: Fill | None, *, when: bool) -> bool:
    """Return whether a mask leaves padding out: if ``when`` it is there, or by minus infinity."""
    return fill is when or (isinstance(fill, float) and fill == -inf)


def _one_by_one(call: Call) -> Several:
    """Return the parts of what is cut along another dimension than that of the padding."""
    one = call.tensor(0)
    place = 1 if call.name == "unbind" else 2
    axis = call.argument("dim", place, 0)
    if one.dims is None or not isinstance(axis, int) or one.axis(axis) in one.fills:
        return Several(lambda _: _unknown(call))
    at = one.axis(axis)
    gone = call.name == "unbind"
    fills = {each - (gone and each > at): fill for each, fill in one.fills.items()}
    return Several(lambda dims: Tensor(dims, fills))


_ELEMENTWISE: Mapping[str, Callable[..., Fill]] = {
    "add": add,
    "sub": subtract,
    "mul": multiply,
    "div": divide,
    "true_divide": divide,
    "multiply": multiply,
    "logical_and": both,
    "bitwise_and": both,
    "logical_or": either,
    "bitwise_or": either,
    **{name: compared(name) for name in padding.COMPARES},
}
_BY_NAME: Mapping[str, Callable[[Call], Any]] = {
    "pow": _power,
    "clamp": _clamped,
    "clamp_min": _clamped,
    "masked_fill": _masked_fill,
    "where": _where,
    "arange": _counted,
    "dropout": _dropped,
    "layer_norm": _layer_norm,
    "rms_norm": _layer_norm,
    "linear": _linear,
    "matmul": _matmul,
    "bmm": _matmul,
    "embedding": _embedding,
    "cat": _concatenated,
    "stack": _stacked,
    "tril": _triangle,
    "triu": _triangle,
    "cumsum": _summed_up,
    "logical_not": _inverted,
    "bitwise_not": _inverted,
    "scaled_dot_product_attention": _attention,
    "multi_head_attention_forward": _heads,
    **dict.fromkeys(("chunk", "split", "unbind"), _one_by_one),
    **dict.fromkeys(("permute", "transpose", "swapaxes", "swapdims", "t", "T", "mT"), _permuted),
}
_BY_KIND: Sequence[tuple[frozenset[str] | Mapping[str, Any], Callable[[Call], Any]]] = (
    (padding.KEEPS, _kept),
    (padding.CONVERTS, _converted),
    (padding.OF_ZERO_ZERO | padding.ELEMENTWISE, _unary),
    (padding.NORMALIZES, _normalized),
    (frozenset(padding.NEUTRAL) | padding.COUNTS, _reduction),
    (padding.MADE_OF, _made),
    (padding.FILLED, _filled),
    (padding.DRAWS, _drawn),
    (padding.RESHAPES, _reshaped),
    (padding.BROADCASTS, _broadcast),
    (padding.IGNORES, _classes),
    (padding.OF_ELEMENTS, _of_elements),
)
# Each element of the result stands where it stood.
_SAME_PLACES = frozenset(
    (*_ELEMENTWISE, *padding.KEEPS, *padding.CONVERTS, *padding.OF_ZERO_ZERO, *padding.ELEMENTWISE,
     *padding.NORMALIZES, "pow", "clamp", "clamp_min", "masked_fill", "where", "dropout",
     "logical_not", "bitwise_not", "cumsum", "zeros_like", "ones_like", "full_like")
)  # fmt: skip
# What may be given a length: the size of what is made, or one of another shape.
_TAKE_SIZES = frozenset(
    (*padding.MADE_OF, *padding.FILLED, *padding.DRAWS, *padding.RESHAPES, *padding.BROADCASTS,
     "arange")
)  # fmt: skip
