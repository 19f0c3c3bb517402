"""What a look-up is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ca_reports
from ca_reports.costs.caches.partners import Partners, all_asked
from tests.unit.reports.costs.caches.made import GRAPH, PARTS, CacheLog, loaded, start_of

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.costs.caches.partners import Asked


def asked(folder: Path, log: CacheLog) -> list[Asked]:
    return list(all_asked(loaded(folder, log).processes))


def test_the_same_key_is_found_whatever_the_function_is_called(tmp_path: Path) -> None:
    (one,) = asked(tmp_path / "1", start_of(function="now"))
    partner = Partners(asked(tmp_path / "2", start_of(function="then"))).of(one)
    assert partner is not None
    assert partner.differences == ()
    assert not partner.is_same_function


def test_forwards_are_not_compared_with_backwards(tmp_path: Path) -> None:
    (one,) = asked(tmp_path / "1", start_of({**PARTS, "gm": "x"}))
    backward = start_of({**PARTS, "fx_kwargs[is_backward]": "True"})
    assert Partners(asked(tmp_path / "2", backward)).of(one) is None


def test_of_graphs_that_are_as_near_the_one_of_the_same_number(tmp_path: Path) -> None:
    def log(*graphs: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        for number, graph in enumerate(graphs):
            made.looked_up(f"0/{number}", {**PARTS, "gm": graph})
            made.compiled(f"0/{number}", 1.0)
        return made

    partners = Partners(asked(tmp_path / "1", log("a", "b", "c")))
    now = asked(tmp_path / "2", log("x", "y", GRAPH))
    found = [partners.of(one) for one in now]
    assert [one and one.asked.lookup.compile_id for one in found] == ["0/0", "0/1", "0/2"]


def test_without_components_there_is_nothing_to_compare(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run()
    log.artifact("fx_graph_cache_miss", {"key": "f9", "components": []}, **log.context("0/0"))
    (one,) = list(all_asked(ca_reports.load([log.write(tmp_path / "t.log")]).processes))
    assert one.function == (False, "", "")
    assert Partners(asked(tmp_path / "2", start_of())).of(one) is None
