"""Texts that are kept while a file is read, whole or as what they differ in."""

from __future__ import annotations

from ca_reports.run.build.drafts import Stored


def test_of_graphs_that_are_alike_only_differences_are_kept() -> None:
    lines = [f"mul_{one} = torch.ops.aten.mul(a_{one * one}, {one})" for one in range(3_000)]
    stored = Stored(1 << 30, whole=0)
    kept = []
    for id in range(20):
        lines[id * 100] = f"pow_{id} = torch.ops.aten.pow(a, {id})"
        text = "\n".join(lines).encode()
        found = stored.keep(text, "graph")
        assert found is not None
        assert found.data == text
        kept.append(len(found.packed))
    other = stored.keep(b"of another kind", "nodes")
    assert other is not None
    assert other.data == b"of another kind"
    assert max(kept[1:]) < kept[0] / 4, kept


def test_graphs_that_take_turns_are_kept_as_differences() -> None:
    """Of any length: zstd forgets a dictionary where its window ends."""
    stored = Stored(1 << 30, whole=0)
    graphs = [
        "".join(f"a_{kind}_{line} = torch.ops.aten.mul(a_{line * kind}, {line})\n"
                for line in range(kind * 1_000))
        for kind in (1, 2, 4)
    ]  # fmt: skip
    kept = []
    for id in range(4):
        for graph in graphs:
            text = f"{graph}b = pow(a, {id})".encode()
            found = stored.keep(text, "graph")
            assert found is not None
            assert found.data == text
            kept.append(len(found.packed))
    assert max(kept[3:]) < 200, kept


def test_a_part_has_room_of_its_own() -> None:
    stored = Stored(80, whole=0)
    assert stored.keep(b"graph" * 100) is not None
    assert stored.part("guards") is stored.part("guards")
    assert stored.part("guards").keep(b"g") is not None
    assert stored.part("guards").keep(b"g") is None
    assert stored.part("others").keep(b"g") is not None
