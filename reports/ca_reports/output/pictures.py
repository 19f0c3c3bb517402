"""The graphs of a run, packed for the page, up to what one page can hold."""

from __future__ import annotations

import hashlib
from dataclasses import field
from typing import TYPE_CHECKING, Any

import orjson

from ca_engine.lazy_classes import dataclass
from ca_reports.facts.graphs.document import Picture, Read, difference, picture
from ca_reports.output import pack
from ca_reports.run.gather.collector import gc_paused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ca_reports.run.model import Capture

# Characters of base64 for all graphs together: half of what a mail server still takes.
MAX_PACKED = 1_300_000
# A graph whose text is larger is not read: seconds for a picture that nobody can see.
MAX_CODE = 8_000_000
# Characters of all graphs that are read, and nodes that are laid out and are not those of the
# picture before: a 12-layer GPT has 900,000 and 800, so that fifty captures of one are well
# below. What is worse, fifty of 10,000 nodes each, would take minutes.
MAX_READ = 150_000_000
MAX_FRESH = 100_000
# After so many graphs that found no room one that is as long is not tried.
_REFUSED = 2
# How many graphs a new one is compared with, and the share of its lines that it may have for
# itself to be taken as alike without trying how small the whole would be.
_BASES = 4
_ALIKE = 0.2


@dataclass(frozen=True, slots=True)
class EmbeddedBlock:
    """A script element with data: its id, and what is in it."""

    id: str
    packed: str


@dataclass(slots=True)
class Pictures:
    """Blocks by capture (process, id), and the captures that found no room."""

    blocks: list[EmbeddedBlock] = field(default_factory=list)
    graph: dict[tuple[int, int], str] = field(default_factory=dict)
    difference: dict[tuple[int, int], str] = field(default_factory=dict)
    left_out: set[tuple[int, int]] = field(default_factory=set)


class _Packer:
    """Packs pictures; each as what it differs in from the one that is most like it."""

    def __init__(self, cwd: str | None) -> None:
        self.blocks: list[EmbeddedBlock] = []
        self.size = 0
        self._lines = pack.PictureLines(cwd)
        self._bases: list[tuple[str, pack.Base]] = []
        self._known: dict[bytes, str] = {}

    @property
    def fresh(self) -> int:
        """Count the nodes that were drawn and are not those of the picture before."""
        return self._lines.fresh

    def add(self, found: Picture) -> str | None:
        """Return the id of the block that holds ``found``; None if there is no room for it."""
        lines = self._lines(found)
        head = {
            "base": None,
            "size": [round(found.layout.size[0]), round(found.layout.size[1])],
            "fx_nodes": found.fx_nodes,
            "unread": found.unread,
            "counts": found.counts(),
        }
        key = _digest(head, lines)
        if key in self._known:
            return self._known[key]
        best, base = self._packed(head, lines)
        if self.size + len(best) > MAX_PACKED:
            return None
        id = f"block-{len(self.blocks)}"
        if base is None:
            self._bases.append((id, pack.Base(lines)))
        self._known[key] = id
        self.blocks.append(EmbeddedBlock(id, best))
        self.size += len(best)
        return id

    def _packed(self, head: dict[str, Any], lines: list[str]) -> tuple[str, str | None]:
        """Return the smallest form found, and the block that it is written against."""
        size = sum(map(len, lines))
        # The last few whole ones: a run goes to and fro between few kinds of backward.
        found = [(pack.delta(lines, base), id) for id, base in self._bases[-_BASES:]]
        found.sort(key=lambda one: sum(map(len, one[0])))
        if found and sum(map(len, found[0][0])) < size * _ALIKE:
            shorter, id = found[0]
            return pack.block({**head, "base": id}, shorter), id
        best, base = pack.block(head, lines), None
        for shorter, id in found[:1]:
            packed = pack.block({**head, "base": id}, shorter)
            if len(packed) < len(best) * 0.7:
                best, base = packed, id
        return best, base


def _digest(head: dict[str, Any], lines: list[str]) -> bytes:
    whole = orjson.dumps(head) + "\n".join(lines).encode("utf-8", "replace")
    return hashlib.blake2b(whole, digest_size=16).digest()


@gc_paused()
def pictures(
    captures: Iterable[Capture],
    nodes: Callable[[Capture], Sequence[Mapping[str, Any]]],
    cwd: str | None,
) -> Pictures:
    """Read, fold, lay out and pack the graphs, and their differences to the closest ones.

    ``nodes`` gives the autograd nodes of a capture.
    """
    result = Pictures()
    packer = _Packer(cwd)
    read: dict[tuple[int, int], Read] = {}
    characters = 0
    refused: list[int] = []
    for capture in captures:
        if capture.graph is None:
            continue
        key = (capture.process, capture.id)
        room = packer.fresh < MAX_FRESH and characters + capture.graph.length <= MAX_READ
        full = len(refused) >= _REFUSED and capture.graph.length >= min(refused) / 2
        if capture.graph.length > MAX_CODE or full or not room:
            result.left_out.add(key)
            continue
        characters += capture.graph.length
        here = Read.of(capture.graph.text, nodes(capture), capture.lines)
        id = packer.add(picture(here))
        if id is None:
            refused.append(capture.graph.length)
            result.left_out.add(key)
            continue
        result.graph[key] = id
        read[key] = here
        earlier = read.get((capture.process, closest(capture)))
        if earlier is not None and packer.fresh < MAX_FRESH:
            between = packer.add(difference(earlier, here))
            if between is not None:
                result.difference[key] = between
    result.blocks = packer.blocks
    return result


def closest(capture: Capture) -> int:
    """Return what to compare with: the recorded closest capture, else the one before."""
    return capture.closest_capture if capture.closest_capture is not None else capture.id - 1
