"""WHEN a watched value changes THEN the line that was executed before is told."""

from __future__ import annotations

import threading
from types import CodeType, SimpleNamespace
from typing import Any

import pytest

from ca_engine.watch.watchpoints import MAX_WATCHES, SeenChange, Watchpoints, token


class Model(SimpleNamespace):
    """Can be referred to weakly."""


def step() -> None: ...


CODE: CodeType = step.__code__


def watching(model: Model, *sources: str) -> Watchpoints:
    watched = Watchpoints(repr)
    for source in sources:
        assert watched.add(CODE, source, {"self": model}, {})
    return watched


def last(watched: Watchpoints, model: Model, source: str) -> SeenChange | None:
    return watched.last_change(CODE, source, {"self": model}, {})


def test_the_line_before_the_look_is_told() -> None:
    model = Model(scale=1.0, other=2)
    watched = watching(model, "self.scale", "self.other")
    watched.next_line(CODE, 10)
    model.scale = 0.5
    watched.next_line(CODE, 11)
    watched.next_line(CODE, 12)

    found = last(watched, model, "self.scale")
    assert found is not None
    assert (found.before, found.after) == ("1.0", "0.5")
    assert (found.place.line, found.place.function, found.place.compiled) == (10, "step", False)
    assert found.place.file == __file__
    assert last(watched, model, "self.other") is None
    assert last(watched, Model(scale=1.0), "self.scale") is None


def test_the_last_change_counts() -> None:
    model = Model(scale=1.0)
    watched = watching(model, "self.scale")
    for line, value in ((10, 2.0), (20, 3.0)):
        watched.next_line(CODE, line)
        model.scale = value
    watched.next_line(CODE, 30)
    found = last(watched, model, "self.scale")
    assert found is not None
    assert (found.before, found.place.line) == ("2.0", 20)


def test_a_change_that_nobody_looked_at_has_no_line() -> None:
    model = Model(scale=1.0)
    watched = watching(model, "self.scale")
    watched.next_line(CODE, 10)
    model.scale = 2.0
    watched.next_line(CODE, 11)
    model.scale = 3.0
    assert last(watched, model, "self.scale") is None
    # WHEN looking goes on THEN it is not the line's that was the last before it stopped
    watched.next_line(None)
    model.scale = 4.0
    watched.next_line(CODE, 90)
    assert last(watched, model, "self.scale") is None


def test_of_two_threads_neither_is_blamed() -> None:
    model = Model(scale=1.0)
    watched = watching(model, "self.scale")
    watched.next_line(CODE, 10)

    def other() -> None:
        model.scale = 2.0
        watched.next_line(CODE, 50)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert last(watched, model, "self.scale") is None


def test_what_goes_is_told_as_not_there() -> None:
    model = Model(scale=1.0)
    watched = watching(model, "self.scale")
    watched.next_line(CODE, 10)
    del model.scale
    watched.next_line(CODE, 11)
    found = last(watched, model, "self.scale")
    assert found is not None
    assert (found.before, found.after) == ("1.0", None)


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (1, 1.0, False), (True, 1, False), (float("nan"), float("nan"), True), ("a", "a", True),
        ([1], [2], True), ([1], [1, 2], False), (None, None, True), (CODE, CODE, True),
        (Model(), Model(), False),
    ],
)  # fmt: skip
def test_values_are_told_apart_without_asking_them(before: Any, after: Any, same: bool) -> None:
    assert (token(before) == token(after)) is same


def test_watches_are_bounded_and_of_living_objects() -> None:
    watched = Watchpoints(repr)
    models = [Model(scale=number) for number in range(MAX_WATCHES)]
    assert all(watched.add(CODE, "self.scale", {"self": model}, {}) for model in models)
    assert watched.add(CODE, "self.scale", {"self": models[0]}, {})
    assert len(watched) == MAX_WATCHES
    one_more = Model(scale=0)
    assert not watched.add(CODE, "self.scale", {"self": one_more}, {})
    del models[1]
    assert watched.add(CODE, "self.scale", {"self": one_more}, {})
    watched.forget()
    assert len(watched) == 0
