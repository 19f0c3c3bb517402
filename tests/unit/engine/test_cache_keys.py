"""What is written of a cache's key, and that it is all that was there."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from ca_engine import cache_keys
from ca_engine.cache_keys import ShortenedKeys, Surroundings
from ca_reports.run.build.lookups import LookupReader
from ca_reports.run.cached import KeyParts

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Surroundings("/tmp/cache", {})


def component(name: str, value: str) -> str:
    return f"[{hashlib.sha256(f'{name} {value}'.encode()).hexdigest()[:52]}] {name}: {value}"


SETTINGS = [component(f"inductor_config[setting_{n}]", str(n)) for n in range(600)]


def payload(*components: str, **more: Any) -> str:
    return json.dumps({"key": "f1", "cache_state": "miss", "components": components, **more})


def shortened(keys: ShortenedKeys, *components: str, around: Surroundings = HERE) -> dict[str, Any]:
    written = keys.shortened(payload(*components), lambda: around)
    assert written is not None
    found: dict[str, Any] = json.loads(written)
    return found


def read(*payloads: Mapping[str, Any]) -> list[KeyParts]:
    reader = LookupReader(keys=True)
    for line, raw in enumerate(payloads):
        assert reader.add("fx_graph_cache_miss", raw, "0/0", line) is None
    return [lookup.parts for lookup in reader.lookups]


def texts(parts: KeyParts) -> dict[str, str]:
    return {name: part.text for name in parts.names() if (part := parts.get(name))}


def test_of_a_long_configuration_its_end_is_kept() -> None:
    name = "__compiled_fn_1_6abdbdfd_aa81_43b0_a261_599b9d72fb15"
    config = f"(0, True, [{', '.join(['LocalSource()'] * 400)}], [], True, False, '{name}')"
    ((text,),) = (texts(parts).values() for parts in read(shortened(
        ShortenedKeys(), component("aot_config", config)
    )))  # fmt: skip
    assert len(text) == 2_000
    assert text.startswith("(0, True, [LocalSource(), ")
    assert text.endswith(f"True, False, '{name}')")


def test_every_component_can_be_read_back() -> None:
    keys = ShortenedKeys()
    graphs = [
        [component("gm", "x + 1"), component("tag", ""), *SETTINGS],
        [component("gm", "x * 2\n: y"), component("more", "2"), *SETTINGS[1:]],
        [component("gm", "x + 1"), component("tag", ""), *SETTINGS],
    ]

    first, second, third = read(*(shortened(keys, *graph) for graph in graphs))

    assert texts(first) == {"gm": "x + 1", "tag": "", **{
        f"inductor_config[setting_{n}]": str(n) for n in range(600)
    }}  # fmt: skip
    assert [(one.name, one.before and one.before.text, one.after and one.after.text)
            for one in first.differences(second)] == [
        ("gm", "x + 1", "x * 2\n: y"), ("tag", "", None),
        ("inductor_config[setting_0]", "0", None), ("more", None, "2"),
    ]  # fmt: skip
    assert first.differences(third) == []


def test_what_graphs_share_is_written_once() -> None:
    keys = ShortenedKeys()
    sizes = []
    for number in range(5):
        graph = component("gm", f"graph {number}")
        sizes.append(len(json.dumps(shortened(keys, graph, *SETTINGS))))
    assert sizes[0] > 2_000
    assert max(sizes[1:]) < 400


def test_other_keys_of_the_record_stay_and_nothing_is_done_without_components() -> None:
    keys = ShortenedKeys()
    raw = json.loads(keys.shortened(payload(*SETTINGS, time_taken_ns=5), lambda: HERE) or "")
    assert raw.keys() == {"key", "cache_state", "time_taken_ns", "ca_components"}
    for nothing in (payload(), '{"key": "f1"}', "[1]", "not JSON", '{"components": 3'):
        assert keys.shortened(nothing, lambda: HERE) is None


def test_pickled_settings_are_told_one_by_one() -> None:
    keys = ShortenedKeys()
    written = [
        shortened(
            keys, component("autograd_config", "\ufffd}q"),
            around=Surroundings("", {"treat_parameters": treated, "other": 1}),
        )
        for treated in (True, False)
    ]  # fmt: skip
    before, after = read(*written)
    (found,) = before.differences(after)
    assert found.name == "autograd_config[treat_parameters]"
    assert (found.before and found.before.text, found.after and found.after.text) == (
        "True", "False",
    )  # fmt: skip


def test_a_forked_child_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ShortenedKeys()
    shortened(keys, *SETTINGS)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    (child,) = read(shortened(keys, *SETTINGS))
    assert texts(child)["inductor_config[setting_7]"] == "7"


def test_where_the_cache_lies_is_kept_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.setenv("TORCHINDUCTOR_API_TOKEN", "s3cret")
    monkeypatch.setenv("UNRELATED", "1")
    reader = LookupReader(keys=True)
    reader.add("fx_graph_cache_miss", shortened(ShortenedKeys(), *SETTINGS), "0/0", 1)
    (lookup,) = reader.lookups
    assert lookup.folder == "/tmp/cache"
    assert lookup.environment["OMP_NUM_THREADS"] == "3"
    assert "s3cret" not in str(lookup.environment)
    assert "UNRELATED" not in lookup.environment


def test_events_of_the_timeline_lose_their_components_and_nothing_else() -> None:
    event = {"name": "inductor_compile", "args": {"components": SETTINGS, "key": "f1"}}
    written = cache_keys.shortened_event(json.dumps(event))
    assert written is not None
    assert json.loads(written) == {"name": "inductor_compile", "args": {"key": "f1"}}
    assert cache_keys.shortened_event('{"name": "dynamo", "args": {"key": 1}}') is None
    assert cache_keys.shortened_event('{"args": {"components": []}}') is None


FAILED = {
    "cache_bypass_reason": "CppCompileError: C++ compile error\n" + "x.cpp:1: error: y\n" * 2_000,
    "cache_bypass_exception_type": "InductorError",
    "cache_bypass_traceback": ["Traceback (most recent call last):", *["  File …"] * 1_000],
}


@pytest.mark.parametrize("components", [(), tuple(SETTINGS[:3])])
def test_a_failed_compile_leaves_the_beginning_of_its_reason(components: tuple[str, ...]) -> None:
    whole = payload(*components, **FAILED)
    written = ShortenedKeys().shortened(whole, lambda: HERE)
    assert written is not None
    found = json.loads(written)
    assert found["cache_bypass_reason"].startswith("CppCompileError: C++ compile error\nx.cpp:1")
    assert found["cache_bypass_exception_type"] == "InductorError"
    assert len(written) < 10_000
    event = cache_keys.shortened_event(json.dumps({"args": json.loads(whole), "ph": "i"}))
    assert event is not None
    assert json.loads(event)["args"]["cache_bypass_reason"] == found["cache_bypass_reason"]
    assert len(event) < 10_000
