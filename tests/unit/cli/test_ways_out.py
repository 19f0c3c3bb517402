"""Every command and format, given logs and names that try to steer whoever reads the output."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import pytest

from ca_cli.main import main
from ca_reports.output.formats import offered
from tests.unit.logwriter import LogWriter, frame

if TYPE_CHECKING:
    from pathlib import Path

# ESC, BEL, C1, right-to-left marks, and lines that a CI system would run.
_STEERS = (
    "\n::error file=evil::pwned\n \u00a0::warning::b\x1b]0;t\x07\x9b31m\u202ex\u2066\r##vso[x]y"
)
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_COMMAND = re.compile(r"^\s*::|##\w*\[", re.M)
_OWN_COMMAND = re.compile(
    r"^::(?:error|warning|notice) (?:file=[^,:]*,)?(?:line=\d+,)?title=[^,:]*::", re.M
)
_TABLES = ("captures", "misses", "backwards", "compiles", "graph_breaks", "findings")


def hostile(start: str) -> LogWriter:
    """A log all of whose texts begin with ``start`` and go on to steer."""
    evil = start + _STEERS
    log = LogWriter()
    log.ca_run(argv=[evil], cwd=evil, host=evil, engine=evil, backend=evil, versions={evil: evil})
    for id, kind in enumerate(["first", "new_autograd_node", "changed_shapes", "unknown"]):
        log.ca_capture(
            id,
            kind,
            reason=evil,
            node={"index": 1, "name": evil},
            stack=[frame(evil, 1, evil, evil)],
            closest_capture=0 if id else None,
            changes=[
                {"index": 1, "name": evil, "attribute": evil, "before": evil, "after": [evil]}
            ],
            autograd_graph=[{"index": 1, "name": evil, "parameter": evil}],
            fx_nodes={evil: 3},
            error=evil if id == 3 else None,
        )
        log.torch_capture(id, code=_graph(evil.replace("\n", " "), id))
    log.compiled("!0/1/0", fail_type=evil, fail_reason=evil)
    log.compiled("!0/1/1", recompile_reason=evil, stack=[(evil, 3, evil, evil)])
    log.compiled("2/1", recompile_reason=evil, co_filename=evil, co_name=evil)
    log.artifact(
        "dynamo_graph_break_reason",
        f"Graph break in user code at {evil}:3\nReason: {evil}\n  Explanation: {evil}\n",
        "string",
    )
    _ask_caches(log, evil)
    log.own(
        "ca_sizes", time=1.0, graph="2/1", inputs={evil: ["s0"]}, symbols=["s0"], sizes=[[3], [4]],
        calls=[2, 3], steps=[0.1, 0.2], seconds=[0.1, 0.2], digits=None, left_out=1,
    )  # fmt: skip
    log.ca_backwards([(0, 1), (1, 1), (2, 1), (3, 1), (0, 0)])
    log.artifact("ca_capture", evil)
    log.ca_end(1.0, 4, 0, error=evil)
    return log


def _ask_caches(log: LogWriter, evil: str) -> None:
    """Look-ups that miss, by components of which two logs have unlike ones, and one bypass."""
    parts = [
        f"[{digest}{evil[:2].encode().hex()}] {name}: {evil}"
        for digest, name in (("1", "gm"), ("2", "inductor_config[x]"), ("3", "aot_config"))
    ]
    raw = {"key": evil, "cache_status_detailed": evil, "components": parts}
    log.artifact("fx_graph_cache_miss", raw, **log.context("2/1"))
    bypass = {"cache_bypass_reason": evil, "cache_bypass_exception_type": evil}
    log.artifact("aotautograd_cache_bypass", bypass, **log.context("2/1"))
    log.artifact("put_local_code_state", f'TORCH_COMPILE_DYNAMIC_SOURCES="{evil}"', "string")


def _graph(evil: str, id: int) -> str:
    """The code of a captured graph that names ``evil`` wherever such code names anything."""
    return (
        "class CompiledAutograd0(torch.nn.Module):\n"
        "    def forward(self, inputs, sizes, scalars, hooks, packed_data):\n"
        f"        # File: {evil}:3 in {evil}, code: {evil}\n"
        "        getitem = inputs[0]\n"
        f"        # File: x.py:3 in f, code: {evil} (NodeCall 1)\n"
        f"        mul = torch.ops.aten.mul(getitem, {id}, {evil!r})\n"
        "        return [mul]\n"
    )


_COMMANDS = [
    *(["explain-recompiles", "LOG", "--format", form.name] for form in offered("analysis")),
    *(
        ["check", "LOG", "--max-captures", "0", "--format", form.name]
        for form in offered("verdict")
    ),
    *(["diff", "LOG", "OTHER", "--format", form.name] for form in offered("outcome")),
    *(["caches", "LOG", "OTHER", "--format", form.name] for form in offered("start")),
    *(["sizes", "LOG", "--format", form.name] for form in offered("sizes")),
    *(["report", "LOG", "--format", form.name, "-o", "NEW"] for form in offered("page")),
    *(
        ["graph", "LOG", *which, "--format", form.name]
        for which in (["-c", "0"], ["--diff", "0", "1"])
        for form in offered("graph")
        if form.name != "html"
    ),
    ["graph", "LOG", "--format", "html", "-o", "NEW"],
    *(["export", "LOG", "--table", table, "--format", "csv"] for table in _TABLES),
    *(["export", "LOG", "--table", table, "--format", "json"] for table in _TABLES),
    ["export", "LOG", "-o", "NEW"],
    ["report", "LOG"],
    ["report", "LOG", "-o", "NEW"],
    ["watch", "LOG", "--once"],
    ["baseline", "LOG", "-o", "NEW"],
    # What ends in one line on stderr.
    ["explain-recompiles", "ABSENT"],
    ["explain-recompiles", "LOG", "--ignore", "EVIL"],
    ["diff", "LOG", "OTHER", "--fail-on", "EVIL"],
    ["graph", "LOG", "-c", "EVIL"],
    ["rule", "EVIL"],
    ["check", "LOG", "--config", "ABSENT"],
]


@pytest.mark.parametrize("start", ["", "=", "::notice::x"], ids=["plain", "formula", "command"])
@pytest.mark.parametrize("command", _COMMANDS, ids=" ".join)
def test_nothing_steers_the_reader(
    command: list[str],
    start: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    name = start + _STEERS.replace("/", "")
    new = tmp_path / f"new{name}"
    paths = {
        "LOG": hostile(start).write(tmp_path / f"a{name}.log"),
        "OTHER": hostile(f"{start}2").write(tmp_path / f"b{name}.log"),
        "ABSENT": tmp_path / name / "absent",
        "NEW": new,
        "EVIL": name,
    }
    main([str(paths.get(part, part)) for part in command])
    captured = capsys.readouterr()
    assert captured.out or captured.err
    outputs = [captured.out, captured.err]
    made = [new, *(new.iterdir() if new.is_dir() else ())]
    outputs += [path.read_text("utf-8") for path in made if path.is_file()]
    is_page = "html" in command or "report" in command
    for text in outputs:
        found = _UNSAFE.search(text)
        assert found is None, ascii(text[max(0, found.start() - 80) :][:160])
        if is_page and text.startswith("<!"):
            continue  # no CI system reads a page, and a style sheet has lines such as `::before`
        rest = _OWN_COMMAND.sub("", text) if "github" in command else text
        found = _COMMAND.search(rest)
        assert found is None, ascii(rest[max(0, found.start() - 80) :][:160])
    if "graph" in command and "terminal" in command:
        assert "vso" in captured.out  # it does reach the output
    if command[0] == "export" and "csv" in command:
        cells = [cell for row in csv.reader(io.StringIO(captured.out)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-x"))]
