"""What a run's trace leaves out, and that nobody misses it."""

from __future__ import annotations

import json
import logging
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

import ca_engine
import ca_reports
from ca_engine import lean_trace, schema, trace
from ca_engine.compat import autograd_cache
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import guardtree, html
from ca_reports.output import json as json_format
from tests.engine.conftest import side_effects_are
from tests.unit.tlparse_ids import tlparse_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ca_reports.run.model import Run

# Guards on what is marked dynamic: new in torch 2.13.
HAS_MARKINGS = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 13)


@pytest.fixture(autouse=True)
def _side_effects_are_logged() -> Iterator[None]:
    with side_effects_are("info"):
        yield


def records_below(folder: Path) -> list[dict[str, Any]]:
    (log,) = folder.glob("*.log")
    lines = [line for line in log.read_text().splitlines() if not line.startswith("\t")]
    records = [json.loads(line.partition("] ")[2]) for line in lines]
    # Torch's own begin of a file, which it writes into the first of two only.
    return [record for record in records if '"torch_version"' not in json.dumps(record)]


def of_kind(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if kind in record]


def test_unread_kinds_and_stacks_are_left_out_of_that_trace_alone(tmp_path: Path) -> None:
    with trace.written_to(tmp_path / "full"), trace.written_to(tmp_path / "lean"):
        lean_trace.write_less(str(tmp_path / "lean"))
        torch._dynamo.reset()
        compiled = torch.compile(
            lambda x: x.sin() if x.shape[0] > 2 else x, backend="eager", dynamic=True
        )
        assert compiled(torch.ones(4, 3)).shape == (4, 3)
    full, lean = (records_below(tmp_path / name) for name in ("full", "lean"))

    assert of_kind(full, "create_symbol")
    assert not any(of_kind(lean, kind) for kind in lean_trace.UNREAD)
    guards = of_kind(lean, "guard_added_fast")
    assert guards
    assert all("stack" not in guard["guard_added_fast"] for guard in guards)
    assert all("stack" in guard["guard_added_fast"] for guard in of_kind(full, "guard_added_fast"))

    unread_metrics = lean_trace.UNREAD_METRICS
    assert all(
        unread_metrics & metrics["compilation_metrics"].keys()
        for metrics in of_kind(full, "compilation_metrics")
    )

    # All else is there, in its order.
    def without(record: dict[str, Any]) -> dict[str, Any]:
        return {
            key: {name: part for name, part in value.items() if name != "stack"}
            if key in lean_trace.WITHOUT_STACK
            else {name: part for name, part in value.items() if name not in unread_metrics}
            if key in lean_trace.METRICS
            else value
            for key, value in record.items()
        }

    kept = [without(record) for record in full if lean_trace.UNREAD.isdisjoint(record)]
    assert lean == kept


def train_with_lengths() -> None:
    """Backwards whose sequence length varies: captured for one, then for all."""
    torch._dynamo.reset()
    model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(4)))
    compiler = partial(torch.compile, backend="aot_eager")
    with ca_engine.install(), ca_engine.enable(compiler, dynamic=True, lowering=False):
        for length in (3, 4, 5):
            model(torch.ones(length, 8)).sin().sum().backward()


def read_by_both(folder: Path, as_if: Path) -> tuple[Run, str, str, set[str] | None]:
    """The run, its page and JSON, and tlparse's compiles; both traces are read by one name."""
    (log,) = folder.glob("*.log")
    log.rename(as_if)
    run = ca_reports.load([as_if])
    analysis = analyze(run)
    page = re.sub(r"<script.*?</script>", "", html.render(analysis), flags=re.S)
    page = re.sub(rf"{as_if}:\d+", "", page)  # in which line of the trace something stands
    data = re.sub(r'"(line|records)": \d+', "", json_format.render(analysis))
    return run, page, data, tlparse_ids(as_if, folder / "pages")


@pytest.mark.long
def test_both_readers_say_the_same_without_what_is_left_out(tmp_path: Path) -> None:
    with trace.written_to(tmp_path / "full"), trace.written_to(tmp_path / "lean"):
        lean_trace.write_less(str(tmp_path / "lean"))
        train_with_lengths()
    sizes = [
        sum(log.stat().st_size for log in (tmp_path / name).iterdir()) for name in ("full", "lean")
    ]
    assert sizes[1] < 0.7 * sizes[0]
    read = [read_by_both(tmp_path / name, tmp_path / "trace.log") for name in ("full", "lean")]
    (full, *said_of_full), (lean, *said_of_lean) = read
    assert not full.damage
    assert not lean.damage

    captured = [
        (one.guards.text, other.guards.text)
        for one, other in zip(full.compiles, lean.compiles, strict=True)
        if one.capture is not None and one.guards and other.guards
    ]
    assert captured
    for whole, shortened in captured:
        assert (f"+- {schema.MARKING_GUARD}" in whole) is HAS_MARKINGS
        assert f"+- {schema.MARKING_GUARD}" not in shortened
        assert guardtree.parse(whole) == guardtree.parse(shortened)
    assert said_of_full == said_of_lean


def test_the_user_s_own_forward_keeps_its_guards_and_side_effects(tmp_path: Path) -> None:
    class Counter:
        calls = 0

    counter = Counter()

    def forward(x: torch.Tensor) -> torch.Tensor:
        counter.calls += 1
        return x + 1

    with trace.written_to(tmp_path):
        lean_trace.write_less(str(tmp_path))
        torch._dynamo.reset()
        torch.compile(forward, backend="aot_eager")(torch.ones(3))
    (log,) = tmp_path.glob("*.log")
    names = [record["artifact"]["name"] for record in of_kind(records_below(tmp_path), "artifact")]
    assert set(names) >= lean_trace.UNREAD_OF_CAPTURES
    assert (f"+- {schema.MARKING_GUARD}" in log.read_text()) is HAS_MARKINGS


def test_aotautograd_says_what_its_keys_are_made_of_and_no_handler_hears_more() -> None:
    logger = logging.getLogger(autograd_cache.LOGGER)
    heard: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    listening = Listening()
    logger.addHandler(listening)
    try:
        end = autograd_cache.describe_keys()
        assert logger.isEnabledFor(logging.DEBUG)  # which is what the cache asks for
        logger.debug("the hash of a component")
        logger.warning("something that everyone is to hear")
        end()
        assert not logger.isEnabledFor(logging.DEBUG)
        logger.debug("nothing")
    finally:
        logger.removeHandler(listening)
    assert heard == ["something that everyone is to hear"]


def test_who_debugs_that_logger_hears_it_as_before() -> None:
    logger = logging.getLogger(autograd_cache.LOGGER)
    logger.setLevel(logging.DEBUG)
    try:
        autograd_cache.describe_keys()()
        assert logger.isEnabledFor(logging.DEBUG)
        assert not logger.filters
    finally:
        logger.setLevel(logging.NOTSET)
