"""Look-ups of torch's caches, as its own records and ours have them."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

import pytest

import ca_reports
from ca_reports.run.build.lookups import LookupReader
from tests.unit.logwriter import LogWriter

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.run.cached import CacheLookup

HASH = "mhuckhjjky7qkrmhqimycpqnfvs6awtvu33nlkmrxkjn4cipojh"


def looked_up(name: str = "fx_graph_cache_miss", **raw: Any) -> CacheLookup:
    reader = LookupReader(keys=True)
    assert reader.add(name, raw, "3/1", 7) is None
    (found,) = reader.lookups
    return found


def packed(document: object) -> str:
    return base64.b85encode(zlib.compress(json.dumps(document).encode())).decode()


def test_torchs_own_record_of_a_miss() -> None:
    found = looked_up(
        key="f1", cache_status_detailed="full_miss", time_taken_ns=2_500_000_000,
        components=[
            f"[{HASH}] gm: def f():\n  x: int", f"[{HASH}] fx_kwargs[is_backward]: True", "torn",
        ],
    )  # fmt: skip
    assert (found.cache, found.state, found.key, found.compile_id) == ("fx", "miss", "f1", "3/1")
    assert (found.status, found.seconds, found.graph) == ("full_miss", 2.5, "backward")
    part = found.parts.get("gm")
    assert part is not None
    assert (part.digest, part.text) == (HASH[:10], "def f():\n  x: int")


@pytest.mark.parametrize(
    ("name", "raw", "cache", "state", "saved"),
    [
        ("fx_graph_cache_hit", {"time_saved_ns": 3_000_000_000}, "fx", "hit", 3.0),
        ("fx_graph_bundled_cache_hit", {}, "fx", "hit", None),
        ("aotautograd_cache_hit", {"time_saved_ms": 1500.0}, "aot", "hit", 1.5),
        ("precompile_cache_bypass", {"_reason": "no"}, "dynamo", "bypass", None),
    ],
)
def test_each_cache_by_its_record(
    name: str, raw: dict[str, Any], cache: str, state: str, saved: float | None
) -> None:
    found = looked_up(name, **raw)
    assert (found.cache, found.state, found.saved) == (cache, state, saved)


def test_a_bypass_has_its_reason_and_the_type_of_the_error() -> None:
    found = looked_up(
        "aotautograd_cache_bypass",
        cache_bypass_reason="Unsupported call_function target f",
        cache_bypass_exception_type="BypassAOTAutogradCache",
        key=None,
    )
    assert found.reason == "Unsupported call_function target f"
    assert found.error == "BypassAOTAutogradCache"
    assert found.key is None
    assert found.graph is None


@pytest.mark.parametrize(
    "components",
    [
        "no base 85 \x7f",
        base64.b85encode(b"no zlib").decode(),
        packed(3)[:-9],
        packed({"changed": [["one"]]}),
        packed({"changed": [["gm", "h", "x" * (5 << 20)]]}),
        7,
    ],
    ids=["encoding", "compression", "torn", "shape", "too large", "type"],
)
def test_damaged_components_are_damage_and_the_look_up_stays(components: object) -> None:
    reader = LookupReader(keys=True)
    assert reader.add("fx_graph_cache_hit", {"ca_components": components}, "0/0", 1)
    assert [found.state for found in reader.lookups] == ["hit"]


def test_components_are_read_where_they_are_asked_for(tmp_path: Path) -> None:
    log = LogWriter()
    log.ca_run()
    raw = {"key": "f1", "components": [f"[{HASH}] gm: x"], "time_taken_ns": 10}
    log.artifact("fx_graph_cache_miss", raw, **log.context("0/0"))
    path = log.write(tmp_path / "trace.log")

    (without,) = ca_reports.load([path]).processes[0].cache_lookups
    (found,) = ca_reports.load([path], cache_keys=True).processes[0].cache_lookups

    assert not without.parts
    assert (without.key, without.compile_id) == ("f1", "0/0")
    assert list(found.parts.names()) == ["gm"]


def test_what_pgo_loaded_and_kept(tmp_path: Path) -> None:
    rendered = (
        "a.py:7:forward:\n  L['x']: tensor size=[?, 4] stride=[4, 1]\nb.py:9:f:\n\n\n"
        "PGO detected … set environment variable TORCH_COMPILE_DYNAMIC_SOURCES=\"L['x'],L['y']\""
    )
    log = LogWriter()
    log.ca_run()
    log.artifact("get_local_code_state", rendered)
    log.artifact("put_remote_code_state", "a.py:7:forward:\n")

    loaded, kept = ca_reports.load([log.write(tmp_path / "t.log")]).processes[0].profiles

    assert (loaded.loaded, loaded.store, loaded.functions) == (True, "local", 2)
    assert loaded.dynamic_sources == ("L['x']", "L['y']")
    assert (kept.loaded, kept.store, kept.functions) == (False, "remote", 1)
    assert kept.dynamic_sources == ()
