"""Rows of a page, packed, and what web/src/unpack.ts does with them."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ca_reports.facts.graphs.document import Read, picture
from ca_reports.output import pack
from tests.unit.reports.facts.graphs.texts import AUTOGRAD, GRAPH


def unpack(lines: list[str]) -> list[list[Any]]:
    """The inverse of ``renumbered``, written down independently of it."""
    last: dict[tuple[bool, str], int] = {}

    def number(found: re.Match[str]) -> str:
        before, name, step = found.groups()
        key = (before is not None, name)
        last[key] = last.get(key, 0) + int(step)
        return f"{before or ''}{name}{last[key]}"

    text = re.sub(
        r'(?:(\\n|")|\b|(?=\())([A-Za-z_]\w*?_|inputs\[|sizes\[|\(NodeCall )¦([+-]\d+)',
        number,
        "\n".join(lines),
        flags=re.ASCII,
    )
    return [json.loads(line) for line in text.split("\n")]


def test_packed_rows_come_back() -> None:
    found = picture(Read.of(GRAPH, AUTOGRAD))
    rows = unpack(pack.PictureLines()(found))
    assert [row[0] for row in rows] == [node.node.label for node in found.nodes]
    assert [row[15] for row in rows] == ["\n".join(node.code) for node in found.nodes]
    assert rows[0][5] == "PowBackward0 (NodeCall 1)"
    assert rows[1][12] == [1]


@given(st.lists(st.sampled_from(["[1]", "[2]", "[3]", "[4]"]), max_size=30), st.data())
def test_a_delta_gives_back_its_lines(base: list[str], data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from([*base, "[5]"]) if base else st.just("[5]")))
    back: list[str] = []
    for part in pack.delta(lines, pack.Base(base)):
        if part.startswith("="):
            start, count = map(int, part[1:].split())
            back += base[start : start + count]
        else:
            back.append(part)
    assert back == lines


def test_a_block_is_base64_of_gzip_of_lines() -> None:
    packed = pack.block({"base": None}, ['["</script>"]'])
    assert re.fullmatch("[A-Za-z0-9+/=]+", packed)
    text = gzip.decompress(base64.b64decode(packed)).decode()
    assert text == '{"base":null}\n["</script>"]'
    assert packed == pack.block({"base": None}, ['["</script>"]'])
