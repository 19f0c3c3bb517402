"""Runs that want to be read, and what a reader sees of the terminal and of the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from tests.unit.logwriter import LogWriter, frame

HOSTILE = "[red]</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J{{7*7}}"


def text_of(page: str) -> str:
    bare = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).split())


def flat(text: str) -> str:
    return " ".join(text.split())


def hostile_log() -> LogWriter:
    """Every text that a log can bring into a report is ``HOSTILE``."""
    log = LogWriter()
    log.ca_run(
        argv=[HOSTILE], cwd=HOSTILE, host=HOSTILE, engine=HOSTILE, backend=HOSTILE,
        versions={HOSTILE: HOSTILE},
    )  # fmt: skip
    for id, kind in enumerate(["first", "new_autograd_node", "changed_shapes", "unknown"]):
        log.ca_capture(
            id,
            kind,
            reason=HOSTILE,
            node={"index": 1, "name": HOSTILE},
            stack=[frame(HOSTILE, 1, HOSTILE, HOSTILE)],
            changes=[
                {"index": 1, "name": HOSTILE, "attribute": HOSTILE, "before": HOSTILE,
                 "after": [HOSTILE]}
            ],
            autograd_graph=[{"index": 1, "name": HOSTILE, "parameter": HOSTILE}],
            fx_nodes={HOSTILE: 3},
            error=HOSTILE if id == 3 else None,
        )  # fmt: skip
        log.torch_capture(id, code=f"x = '{HOSTILE}'\n    {HOSTILE} = {HOSTILE}(1)\n")
    log.compiled("!0/1/0", fail_type=HOSTILE, fail_reason=HOSTILE)
    log.compiled("!0/1/1", recompile_reason=HOSTILE)
    log.compiled("2/1", recompile_reason=HOSTILE, co_filename=HOSTILE, co_name=HOSTILE)
    log.artifact(
        "dynamo_graph_break_reason",
        f"Graph break in user code at {HOSTILE}:3\nReason: {HOSTILE}\n  Explanation: {HOSTILE}\n",
        "string",
    )
    log.artifact("ca_capture", HOSTILE)
    log.ca_end(1.0, 4, 0, error=HOSTILE)
    return log


class _Page(HTMLParser):
    """The elements, ids and links of a page, and whether its tags match."""

    VOID = frozenset(("meta", "br", "img", "link", "input", "hr"))

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            self.scripts.append((self.tags[-1][1], data))
        elif "style" not in self.open:
            self.text.append(data)


def page(text: str) -> _Page:
    parsed = _Page()
    parsed.feed(text)
    parsed.close()
    assert not parsed.open
    return parsed
