"""What changed in the graph of a capture from one run to the next."""

from __future__ import annotations

from pathlib import Path

from tests.unit.logwriter import GRAPH_CODE, LogWriter
from tests.unit.reports.comparison.sides import both


def test_graphs_that_changed(tmp_path: Path) -> None:
    def graph(code: str, line: int) -> LogWriter:
        log = LogWriter()
        log.ca_run()
        log.ca_capture(0)
        log.torch_capture(0, code=code)
        log.ca_backwards([(0, 1)])
        return log

    other = GRAPH_CODE.replace(
        "        return []",
        "        # code: TanhBackward0 (NodeCall 2)\n"
        "        tanh_backward0 = torch__dynamo_compiled_autograd_ops_TanhBackward0("
        "[getitem_1], [True])\n        return []",
    )
    found = both(tmp_path / "1", graph(GRAPH_CODE, 1), graph(other, 1))
    renamed = both(
        tmp_path / "2", graph(GRAPH_CODE, 1), graph(GRAPH_CODE.replace("getitem", "item"), 9)
    )

    constant = both(
        tmp_path / "3", graph(other, 1), graph(other.replace("[True])", "[False, 3])"), 1)
    )
    number = both(tmp_path / "4", graph(other, 1), graph(other.replace("[True])", "[False])"), 1))

    assert number.graphs[0].names == ("~ TanhBackward0 True → False",)
    assert constant.graphs[0].names == ("~ TanhBackward0",)  # one more is not told in a word
    assert found.graphs_compared == 1
    change = found.graphs[0]
    assert (change.added, change.removed) == (1, 0)
    assert "+ TanhBackward0" in change.names
    assert renamed.graphs == ()
