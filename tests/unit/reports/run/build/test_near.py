from __future__ import annotations

from typing import Any

from ca_reports.run.build.near import nearest_place


def test_the_nearest_place() -> None:
    nodes: list[dict[str, Any]] = [
        {"index": 2, "name": "AccumulateGrad", "parameter": "layers.1.weight"},
        {"index": 4, "name": "PowBackward0"},
        {"index": 6, "name": "AccumulateGrad", "parameter": "layers.0.weight"},
        {"index": 7, "name": "AccumulateGrad", "parameter": "layers.0.bias"},
        {"index": "9", "name": None, "parameter": 3},
    ]
    assert nearest_place(nodes, 4) == "layers.0"
    assert nearest_place(nodes, 3) == "layers.1"
    assert nearest_place(nodes, 7) == "layers.0.bias"
    assert nearest_place(nodes[1:2], 4) is None
    region: dict[str, Any] = {"index": 5, "name": "CompiledFunctionBackward"}
    assert nearest_place([*nodes, region], 5) is None


def test_an_aot_region_is_at_the_lines_that_it_was_traced_from() -> None:
    def region(*places: tuple[str, int]) -> list[dict[str, Any]]:
        lines = [{"file": file, "line": line, "function": "f", "code": ""} for file, line in places]
        return [{"index": 1, "name": "CompiledFunctionBackward2", "forward_lines": lines}]

    assert nearest_place(region(("/a/net.py", 12)), 1) == "net.py:12"
    assert nearest_place(region(("/a/net.py", 12), ("/a/net.py", 20), ("/b/x.py", 3)), 1) == (
        "net.py:12-20"
    )
    assert nearest_place([{**region()[0], "forward_lines": "?"}], 1) is None
