"""What graphs of Dynamo's make of padding, against what torch computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.facts.masking.fills import Fill, HasPartError, Known
from ca_reports.facts.masking.graphs import ForwardGraph, GraphTextError, without_effect
from ca_reports.facts.masking.operations import padded_within
from tests.warm.server import without_guard_latency

if TYPE_CHECKING:
    from collections.abc import Callable

torch = pytest.importorskip("torch")
F = torch.nn.functional

without_guard_latency()
ROWS, WIDE, WORDS, LONG = 3, 4, 11, 16
LENGTHS = (5, 7, 2)


class Weights:
    """What each function computes with."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.table = torch.randn(WORDS, WIDE, requires_grad=True)
        self.places = torch.randn(LONG, WIDE, requires_grad=True)
        self.square = torch.randn(WIDE, WIDE, requires_grad=True)
        self.wide = torch.randn(WORDS, WIDE, requires_grad=True)
        self.all = (self.table, self.places, self.square, self.wide)


W = Weights()
ATTENTION = torch.nn.MultiheadAttention(WIDE, 2, batch_first=True)
LAYER = torch.nn.TransformerEncoderLayer(WIDE, 2, 8, dropout=0.0, batch_first=True)


def embedded(ids: Any) -> Any:
    return F.embedding(ids, W.table)


def mean(x: Any, mask: Any) -> Any:
    return (x * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


def masked_mean(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return mean(embedded(ids), mask.float())


def loss_of_words(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    logits = torch.tanh(embedded(ids) @ W.square) @ W.wide.T
    return F.cross_entropy(logits.view(-1, WORDS), labels.view(-1))


def next_words(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    logits = embedded(ids) @ W.wide.T
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=-100)


def with_places(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids) + W.places[: ids.shape[1]]
    return mean(F.layer_norm(x, (WIDE,)), mask.float())


def with_numbers(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids) + F.embedding(torch.arange(ids.shape[1]), W.places)
    return mean(F.gelu(x), mask.to(torch.float32))


def by_length(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    own = torch.arange(ids.shape[1])[None, :] < lengths[:, None]
    return mean(embedded(ids), own.float())


def by_padding(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return mean(embedded(ids), (ids != 0).float())


def attended(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    out = F.scaled_dot_product_attention(x, x @ W.square, x, attn_mask=mask[:, None, :])
    return mean(out, mask.float())


def by_hand(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    scores = (x @ W.square) @ x.transpose(1, 2) / 2.0
    shares = scores.masked_fill(~mask[:, None, :], float("-inf")).softmax(-1)
    return mean(torch.matmul(shares, x), mask.float())


def added_mask(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    added = torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, float("-inf"))
    shares = torch.softmax(x @ x.transpose(1, 2) + added.unsqueeze(1), dim=-1)
    return (shares @ x)[:, 0]


def causal(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    out = F.scaled_dot_product_attention(x, x, x, is_causal=True)
    return F.cross_entropy((out @ W.wide.T).flatten(0, 1), labels.flatten())


def causal_by_hand(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x, n = embedded(ids), ids.shape[1]
    below = torch.tril(torch.ones(n, n))
    shares = (x @ x.transpose(1, 2)).masked_fill(below == 0, float("-inf")).softmax(-1)
    return F.cross_entropy(((shares @ x) @ W.wide.T).flatten(0, 1), labels.flatten())


def causal_by_places(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x, n = embedded(ids), ids.shape[1]
    later = torch.arange(n)[None, :] > torch.arange(n)[:, None]
    shares = (x @ x.transpose(1, 2)).masked_fill(later, float("-inf")).softmax(-1)
    return F.cross_entropy(((shares @ x) @ W.wide.T).flatten(0, 1), labels.flatten())


def of_a_module(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    out, _ = ATTENTION(x, x, x, key_padding_mask=~mask, need_weights=False)
    return mean(out, mask.float())


def of_a_layer(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return mean(LAYER(embedded(ids), src_key_padding_mask=~mask), mask.float())


def largest(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids).masked_fill(~mask.unsqueeze(-1), float("-inf"))
    return x.max(dim=1)[0]


def first_place(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return torch.relu(embedded(ids) @ W.square)[:, 0]


def with_class_token(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = torch.cat([W.square[:1].expand(ids.shape[0], 1, WIDE), embedded(ids)], dim=1)
    kept = torch.cat([torch.ones(ids.shape[0], 1, dtype=torch.bool), mask], dim=1)
    out = F.scaled_dot_product_attention(x, x, x, attn_mask=kept[:, None, :])
    return out[:, 0]


def squared(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    errors = F.mse_loss(embedded(ids).sum(-1), torch.ones(ids.shape), reduction="none")
    return (errors * mask).sum() / mask.sum()


MASKED = (
    masked_mean, loss_of_words, next_words, with_places, with_numbers, by_length, by_padding,
    attended, by_hand, added_mask, causal, causal_by_hand, causal_by_places, of_a_module,
    of_a_layer, largest, first_place, with_class_token, squared,
)  # fmt: skip


def plain_mean(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return embedded(ids).mean(1)


def by_the_length(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return (embedded(ids) * mask.unsqueeze(-1)).sum(1) / ids.shape[1]


def unmasked(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    return mean(F.scaled_dot_product_attention(x, x, x), mask.float())


def other_ignored(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    logits = embedded(ids) @ W.wide.T
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten().clamp(min=0), ignore_index=7)


def last_place(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return embedded(ids)[:, -1]


def in_reverse(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return mean(embedded(ids).flip(1), mask.float())


def over_the_batch(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids).transpose(1, 2)
    return mean(F.batch_norm(x, None, None, training=True).transpose(1, 2), mask.float())


def short_mask(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = embedded(ids)
    shares = (x @ x.transpose(1, 2)).masked_fill(~mask[:, None, :], 0.0).softmax(-1)
    return mean(shares @ x, mask.float())


def convolved(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x = F.conv1d(embedded(ids).transpose(1, 2), W.square.unsqueeze(-1).repeat(1, 1, 3), padding=1)
    return mean(x.transpose(1, 2), mask.float())


def other_side(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return mean(embedded(ids), (~mask).float())


def all_of_them(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    return embedded(ids).square().sum()


def up_to_the_length(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    own = torch.arange(ids.shape[1])[None, :] <= lengths[:, None]
    return mean(embedded(ids), own.float())


def anti_causal(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
    x, n = embedded(ids), ids.shape[1]
    above = torch.triu(torch.ones(n, n))
    shares = (x @ x.transpose(1, 2)).masked_fill(above == 0, float("-inf")).softmax(-1)
    return F.cross_entropy(((shares @ x) @ W.wide.T).flatten(0, 1), labels.flatten())


TAKES_PART = (
    plain_mean, by_the_length, unmasked, other_ignored, last_place, in_reverse, over_the_batch,
    short_mask, convolved, other_side, all_of_them, up_to_the_length, anti_causal,
)  # fmt: skip


def batch(length: int) -> tuple[Any, ...]:
    """A batch whose samples are those of every other length."""
    torch.manual_seed(1)
    ids = torch.zeros(ROWS, length, dtype=torch.long)
    labels = torch.full((ROWS, length), -100)
    for row, own in enumerate(LENGTHS):
        ids[row, :own] = torch.randint(1, WORDS, (own,))
        labels[row, :own] = torch.randint(0, WORDS, (own,))
    return ids, ids != 0, labels, torch.tensor(LENGTHS)


PADDED: dict[str, Fill] = {
    "l_ids_": 0.0,
    "l_mask_": False,
    "l_labels_": -100.0,
    "l_lengths_": Known.LENGTH,
}


def graphs(function: Callable[..., Any], *, dynamic: bool) -> list[ForwardGraph]:
    """The graphs that Dynamo makes of ``function`` for two lengths, or of one with symbols."""
    texts: list[str] = []

    def kept(graph: Any, inputs: Any) -> Any:
        texts.append(
            graph.print_readable(print_output=False, include_stride=True, include_device=True)
        )
        return graph.forward

    torch._dynamo.reset()
    compiled = torch.compile(function, backend=kept, dynamic=dynamic)
    for length in (7,) if dynamic else (7, 13):
        compiled(*batch(length))
    assert len(texts) == (1 if dynamic else 2)
    return [ForwardGraph.read(text) for text in texts]


def without(function: Callable[..., Any], *, dynamic: bool) -> bool:
    values = without_effect(graphs(function, dynamic=dynamic), PADDED, LONG).values
    return not any(map(padded_within, values))


def computed(function: Callable[..., Any], length: int) -> list[Any]:
    """The result of ``function``, and the gradients of all weights."""
    found = function(*batch(length))
    weights = (*W.all, *ATTENTION.parameters(), *LAYER.parameters())
    gradients = torch.autograd.grad(found.sum(), weights, allow_unused=True)
    return [found, *(one for one in gradients if one is not None)]


def both(functions: tuple[Callable[..., Any], ...]) -> list[tuple[Callable[..., Any], bool]]:
    """Each function with two graphs, and every third with one that has symbols."""
    return [(one, False) for one in functions] + [(one, True) for one in functions[::3]]


def named(given: Any) -> str:
    return "dynamic" if given is True else getattr(given, "__name__", "static")


def are_alike(function: Callable[..., Any]) -> bool:
    return all(
        torch.allclose(one, other, atol=1e-5)
        for one, other in zip(computed(function, 7), computed(function, LONG), strict=True)
    )


@pytest.mark.parametrize(("function", "dynamic"), both(MASKED), ids=named)
def test_what_is_masked_has_no_effect(function: Callable[..., Any], dynamic: bool) -> None:
    assert are_alike(function)
    assert without(function, dynamic=dynamic)


@pytest.mark.parametrize(("function", "dynamic"), both(TAKES_PART), ids=named)
def test_what_takes_part_is_told_with_its_line(function: Callable[..., Any], dynamic: bool) -> None:
    assert not are_alike(function)
    with pytest.raises((HasPartError, GraphTextError)):
        without(function, dynamic=dynamic)


def test_an_input_whose_padding_is_unknown_has_a_part() -> None:
    found = graphs(masked_mean, dynamic=False)
    with pytest.raises(HasPartError, match="L_mask"):
        without_effect(found, {"l_ids_": 0.0}, LONG)
    with pytest.raises(HasPartError, match=r"L_(ids|mask)"):
        without_effect(found, {"l_mask_": False}, LONG)


def test_a_table_that_is_too_short_has_a_part() -> None:
    for function in (with_places, with_numbers):
        found = graphs(function, dynamic=False)
        with pytest.raises(HasPartError, match="a table of 16"):
            without_effect(found, PADDED, LONG + 1)


def test_random_numbers_are_others() -> None:
    def dropped(ids: Any, mask: Any, labels: Any, lengths: Any) -> Any:
        return mean(F.dropout(embedded(ids), 0.5), mask.float())

    results = without_effect(graphs(dropped, dynamic=False), PADDED, LONG)
    assert results.draws
    assert not any(map(padded_within, results.values))


@pytest.mark.parametrize("text", ["", "x = (", "def f(): return 1\ndef g(): return 2"])
def test_a_text_that_is_no_graph_is_unreadable(text: str) -> None:
    with pytest.raises(GraphTextError):
        ForwardGraph.read(text)
