"""The page: true, complete, and deaf to what a log tries to do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.output import capture_views, html
from ca_reports.run.model import Process, Recorded, Run
from tests.unit.logwriter import sample_run

if TYPE_CHECKING:
    from pathlib import Path

from tests.unit.reports.output.shown import flat, hostile_log, page
from tests.unit.reports.written import loaded


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
    assert "Lost 21.9 s of the 40.0 s it ran (55%) to 4 causes." in said
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


@pytest.mark.parametrize(
    ("script", "ran", "title"),
    [
        ("/home/me/src/train.py", ["src/train.py"], "train.py"),
        ("src/train.py", ["src/train.py"], "src/train.py"),
        ("-m torch.distributed.run", ["train.py", "train.py"], "-m torch.distributed.run train.py"),
        ("/usr/bin/torchrun", ["/a/train.py"], "torchrun train.py"),
        ("-m package.train", ["/home/me/package/train.py"], "-m package.train"),
        ("-m train", ["/home/me/train.py"], "-m train"),
        ("-m package", ["/home/me/package/__main__.py"], "-m package"),
        ("-c", ["-c"], "-c"),
    ],
)
def test_the_title_names_what_a_launcher_ran(script: str, ran: list[str], title: str) -> None:
    processes = tuple(
        Process(at, "t.log", None, at, 9, argv=(path,)) for at, path in enumerate(ran)
    )
    run = Run(("run",), (), processes, recorded=(Recorded("run", script=script),))

    assert f"<title>ca report: {title}</title>" in html.render(analyze(run))
