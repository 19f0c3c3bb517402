"""The terminal and the HTML report: true, complete, and deaf to what a log tries to do."""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import ca_reports
from ca_reports.analysis import Analysis, analyze
from ca_reports.graphs.document import picture
from ca_reports.model import Damage
from ca_reports.render import capture_views, html, pictures, terminal
from tests.unit.logwriter import LogWriter, frame, sample_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ca_reports.model import Run

GRAPH_HEAD = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
"""
HOSTILE = "[red]</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[2J{{7*7}}"


def loaded(log: LogWriter, folder: Path) -> Run:
    return ca_reports.load([log.write(folder / "trace.log")])


def printed(
    run: Run,
    show: Callable[[Analysis, Console], None] = terminal.render,
    width: int = 80,
    encoding: str = "utf-8",
) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    show(analyze(run), Console(file=stream, width=width, force_terminal=False))
    stream.flush()
    return raw.getvalue().decode(encoding)


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


# ---- terminal


def test_the_terminal_says_what_happened(tmp_path: Path) -> None:
    text = flat(printed(loaded(sample_run(), tmp_path), width=200))
    assert "10 backwards: 7 hits (70%), 3 captures (2 recaptures)" in text
    assert "1 captured graph recompiled; 1 forward recompile" in text
    assert "Lost 21.9 s of 40.0 s (55%) to 4 causes." in text
    assert "Captures of a backward" in text
    assert "PowBackward0 exponent: 2 → 3" in text
    assert "near `body.2`" in text
    assert "SumBackward0 sizes[0], sizes[1]: 10 → 100" in text
    assert "train.py:11" in text
    assert "Cache hits that still recompiled" in text
    assert "tensor 'sizes[0]' size mismatch" in text
    assert "Forward recompiles" in text
    assert "n == 1.0" in text
    assert "# return y" not in text
    assert "cannot tell" not in text
    assert "Damage" not in text


def run_of_many_captures() -> LogWriter:
    log = LogWriter()
    log.ca_run()
    for id in range(40):
        log.ca_capture(
            id,
            "changed_shapes" if id else "first",
            step=id,
            changes=[{"index": 1, "name": "SumBackward0", "attribute": f"sizes[{id % 2}]",
                      "before": 8, "after": 8 + id}] if id else [],
        )  # fmt: skip
        log.torch_capture(id)
    log.ca_end(100.0, 40, 0)
    return log


def test_findings_come_first_and_ten_rows_of_each_table(tmp_path: Path) -> None:
    run = loaded(run_of_many_captures(), tmp_path)
    text = printed(run, width=160)
    lines = text.splitlines()
    assert lines[0].startswith("Lost 19.5 s of ")
    assert lines[2] == "Fixes, costliest first"
    tables = text.index("40 captures of a backward, by cause")
    assert text.index("fix: ") < tables < text.index("40 backwards")
    rows = [line.split() for line in text[tables:].splitlines() if re.match(r"CA\d+ |– ", line)]
    assert [row[1] for row in rows] == ["1"] * 10
    assert "  and 30 more: see --all" in lines


def test_in_full_every_row_is_printed(tmp_path: Path) -> None:
    run = loaded(run_of_many_captures(), tmp_path)
    text = printed(run, functools.partial(terminal.render, in_full=True), width=160)
    rows = [line for line in text.splitlines() if re.match(r"!\d+ ", line)]
    assert [row.split()[0] for row in rows] == [f"!{id}" for id in range(40)]
    assert "more: see" not in text


def test_the_summary_is_short_and_names_the_worst(tmp_path: Path) -> None:
    text = printed(loaded(sample_run(), tmp_path), terminal.render_summary, width=160)
    lines = text.splitlines()
    assert len(lines) <= 1 + 3 * 4 + 1
    # The forward's recompile cost 16 s, that of !2's graph 4 s, the capture !1 1.25 s.
    codes = [line.split()[0] for line in lines if line.startswith("  CA")]
    assert len(codes) == 3
    assert text.index("1 recompile of `step`") < text.index("captured graph was recompiled")
    assert text.index("captured graph was recompiled") < text.index("CA206")
    assert "train.py:11" in text
    assert text.count("fix: ") == 3
    assert lines[-1] == "  and 1 more finding"


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_no_line_is_wider_than_the_terminal(width: int, encoding: str, tmp_path: Path) -> None:
    for log in (sample_run(), hostile_log()):
        run = loaded(log, tmp_path)
        for show in (terminal.render, terminal.render_summary):
            text = printed(run, show, width, encoding)
            assert max(len(line) for line in text.splitlines()) <= width


def test_a_log_cannot_steer_the_terminal(tmp_path: Path) -> None:
    run = loaded(hostile_log(), tmp_path)
    for show in (terminal.render, terminal.render_summary):
        text = printed(run, show, 400)
        assert "\x1b" not in text
        assert "[red]" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_what_a_stock_log_lacks_is_said(tmp_path: Path) -> None:
    log = LogWriter()
    log.torch_capture(0)
    log.torch_capture(1)
    text = flat(printed(loaded(log, tmp_path)))
    assert "2 captures (1 recapture)." in text
    assert "TORCH_LOGS=compiled_autograd_verbose" in text
    assert "`ca run train.py`" in text
    assert "hits (" not in text


def test_processes_are_named_where_there_are_several(tmp_path: Path) -> None:
    for rank in (0, 1):
        log = LogWriter(pid=rank + 1, rank=rank)
        log.torch_capture(0)
        log.write(tmp_path / f"rank{rank}.log")
    text = printed(ca_reports.load([tmp_path]))
    assert "rank 0" in text
    assert "rank 1" in text


def test_a_bad_end_is_told(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"command": ["ca", "run", "t.py"], "exit_code": null}')
    (tmp_path / "trace").mkdir()
    (tmp_path / "exit_code").write_bytes(b"\x89")
    run = ca_reports.load([tmp_path])
    assert not run.damage
    assert "The run ended with exit code 137." in printed(run)


def test_damage_is_shown(tmp_path: Path) -> None:
    log = sample_run()
    log.records.insert(0, b"\torphan\n")
    text = flat(printed(loaded(log, tmp_path)))
    assert "Damage in the log" in text
    assert "a payload that belongs to no record" in text


def test_what_is_said_of_a_whole_file_comes_before_its_lines(tmp_path: Path) -> None:
    lines = [Damage("a.log", line, "bad_json", "no JSON") for line in range(1, 16)]
    whole = Damage("a.log", 0, "bad_compression", "the packed file is cut or broken")
    run = dataclasses.replace(loaded(sample_run(), tmp_path), damage=(*lines, whole))

    text = printed(run)

    (first, *_) = text.split("Damage in the log\n")[1].splitlines()
    assert "cut or broken" in first


def test_many_captures_are_cut_and_counted(tmp_path: Path) -> None:
    log = LogWriter()
    for id in range(100):
        log.torch_capture(id)
    text = printed(loaded(log, tmp_path))
    assert "100 captures of a backward, by cause" in text
    assert "!99" not in text


# ---- HTML


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


def test_the_page_is_whole_and_needs_nothing_else(tmp_path: Path) -> None:
    text = html.render(analyze(loaded(sample_run(), tmp_path)))
    parsed = page(text)
    metas = [attributes for tag, attributes in parsed.tags if tag == "meta"]
    policy = next(
        meta["content"] for meta in metas if meta.get("http-equiv") == "Content-Security-Policy"
    )
    # No network at all, and one script: ours, told by its hash.
    (script,) = [code for attributes, code in parsed.scripts if "type" not in attributes]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert any(re.match(r"ca \S", str(meta.get("content"))) for meta in metas)
    tags = {tag for tag, _ in parsed.tags}
    assert not tags & {"link", "iframe", "object", "img"}
    assert not any("src" in attributes for _, attributes in parsed.tags)
    # The names of XML namespaces, which d3 carries, are no addresses to load from.
    addresses = set(re.findall(r"https?://[^\s\"'`<>]*", text))
    assert {address.split("/")[2] for address in addresses} <= {"www.w3.org"}
    assert not re.search(r"url\(|@import", text)
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in parsed.tags:
        if tag == "a":
            target = str(attributes["href"]).removeprefix("#")
            assert target in ids or re.fullmatch(
                r"view=graph&capture=\d+/\d+(&difference=1)?", target
            )
    assert "prefers-color-scheme: dark" in text


def test_the_page_says_what_happened(tmp_path: Path) -> None:
    said = flat(" ".join(page(html.render(analyze(loaded(sample_run(), tmp_path)))).text))
    assert "Lost 21.9 s of 40.0 s (55%) to 4 causes." in said
    assert "Compiled autograd captured 3 backward graphs; Dynamo compiled 2 forward graphs" in said
    assert "Cache hits that still recompiled" in said
    assert "Forward recompiles" in said
    assert "PowBackward0 NodeCall 3 exponent 2 3" in said
    assert "train.py:11 in main loss.backward()" in said
    assert "9 FX nodes: 2 getitem, 1 SumBackward0" in said
    assert "guard that failed" in said
    assert "closest earlier capture !0" in said


def test_a_log_cannot_put_elements_into_the_page(tmp_path: Path) -> None:
    text = html.render(analyze(loaded(hostile_log(), tmp_path)))
    parsed = page(text)
    assert "img" not in {tag for tag, _ in parsed.tags}
    assert not any("onerror" in attributes for _, attributes in parsed.tags)
    assert "<script>alert(1)</script>" in "".join(parsed.text)
    assert "{{7*7}}" in text
    assert text.count("<style>") == text.count("</style>") == 1
    # Ours, its data, and the packed blocks, which are base64 and nothing else.
    bare = [attributes for attributes, _ in parsed.scripts if not attributes]
    assert len(bare) == 1
    for attributes, code in parsed.scripts:
        if attributes.get("type") == "text/plain":
            assert re.fullmatch(r"[A-Za-z0-9+/=]+", code)
        elif attributes:
            assert attributes == {"type": "application/json", "id": "data"}
            assert "<" not in code
            json.loads(code)


def test_graphs_beyond_what_a_page_holds_are_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_PACKED", 20_000)
    log = LogWriter()
    for id in range(3):
        names = [hashlib.md5(f"{id} {number}".encode()).hexdigest() for number in range(200)]
        body = "".join(f"        x_{number} = f{name}(1)\n" for number, name in enumerate(names))
        log.torch_capture(id, code=GRAPH_HEAD + body)
    text = html.render(analyze(loaded(log, tmp_path)))
    said = flat(" ".join(page(text).text))
    left_out = said.count("Its graph is left out")
    assert 1 <= left_out < 3
    assert "ca graph --capture 0/2 shows it" in said
    assert text.count('id="block-') >= 3 - left_out


@pytest.mark.parametrize(
    ("limit", "value", "left"),
    [
        ("MAX_FRESH", 350, {(0, 2), (0, 3), (0, 4)}),
        ("MAX_READ", 20_000, {(0, 3)}),
        ("MAX_CODE", 4_000, {(0, 0), (0, 1), (0, 2), (0, 3)}),
    ],
)
def test_no_more_graphs_are_drawn_than_one_waits_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    value: int,
    left: set[tuple[int, int]],
) -> None:
    monkeypatch.setattr(pictures, limit, value)
    log = LogWriter()
    # Four graphs of 200 nodes and about 5,000 characters, none like another, and a small one.
    for id, length in enumerate((200, 200, 200, 200, 50)):
        body = "".join(f"        x_{number} = f_{id}_{number}(1)\n" for number in range(length))
        log.torch_capture(id, code=GRAPH_HEAD + body)
    found = pictures.pictures(loaded(log, tmp_path).captures, lambda capture: (), None)
    assert found.left_out == left
    assert set(found.graph) == {(0, id) for id in range(5)} - left


def test_after_graphs_that_found_no_room_smaller_ones_are_still_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "MAX_PACKED", 3_000)
    tried = []

    def noting(read: Any) -> Any:
        tried.append(read)
        return picture(read)

    monkeypatch.setattr(pictures, "picture", noting)
    log = LogWriter()
    for id, length in enumerate((200, 200, 200, 200, 20)):
        names = [hashlib.md5(f"{id} {number}".encode()).hexdigest() for number in range(length)]
        body = "".join(f"        x_{number} = f{name}(1)\n" for number, name in enumerate(names))
        log.torch_capture(id, code=GRAPH_HEAD + body)
    found = pictures.pictures(loaded(log, tmp_path).captures, lambda capture: (), None)
    assert set(found.graph) == {(0, 4)}
    assert len(found.left_out) == 4
    assert len(tried) == 3  # two that found no room, and the small one


def test_the_captured_graphs_code_is_listed_until_the_page_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = loaded(sample_run(), tmp_path)
    code = next(capture.graph.text for capture in run.captures if capture.graph is not None)
    line = next(line.strip() for line in code.splitlines() if "def forward" in line)
    assert line in html.render(analyze(run))
    monkeypatch.setattr(capture_views, "MAX_CODE", 0)
    page = html.render(analyze(run))
    assert line not in page
    assert "too long for this page" in page


def test_a_run_without_a_trace_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"command": ["ca", "run", "t.py"], "script": "t.py"}')
    text = flat(" ".join(page(html.render(analyze(ca_reports.load([tmp_path])))).text))
    assert "Nothing was recorded." in text
    assert "No trace was written" in text
    assert "ca run t.py" in text


# ---- the package


def _modules(code: str) -> set[str]:
    listed = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return set(listed.stdout.split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import ca_reports.errors", {"ca_reports.build.builder", "orjson", "rich"}),
        (
            "from ca_reports import load",
            {"torch", "typer", "rich", "jinja2", "pygments", "pandas", "ca_cli"},
        ),
        ("from ca_reports.render import terminal, json", {"torch", "jinja2", "pygments"}),
        ("from ca_reports.render import html", {"torch", "rich", "pandas"}),
    ],
)
def test_each_part_imports_only_what_it_needs(code: str, absent: set[str]) -> None:
    assert not _modules(code) & absent


def test_an_unknown_attribute_of_the_package() -> None:
    found: Any = ca_reports
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = found.nothing_of_ours
