"""What a run left behind, read without any code of ours, and graphs made comparable.

The tests that compare our engine with torch's must not trust our reader: a fault shared by
the engine and ``ca_reports`` would cancel out. So this file knows torch's log format by
itself, and compares graphs by their readable code.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import warm

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = REPOSITORY / "sample_scripts"
CA = Path(sys.executable).with_name("ca")

_ENVELOPE = re.compile(r"^[VIWEC]\d{4} \S+ (?P<pid>\d+) (?P<source>.+?):\d+\] (?P<json>\{.*)$")
# Both are closures that the capture of each AOT backward makes anew, so FX numbers the
# second and later ones, and the module they come from is the engine's own.
_AOT_CLOSURE = re.compile(r"^\w*(call_aot_bwd_(?:prologue|epilogue))(?:_\d+)?$")


class UnreadableGraphError(ValueError):
    """The text is not the readable code of one FX graph module."""


@dataclass(frozen=True)
class Record:
    """One record of a structured trace: `source` wrote it; its payload has no leading tabs."""

    pid: int
    source: str
    envelope: dict[str, Any]
    payload: str


def read_trace(folder: Path) -> list[Record]:
    """All records of the ``*.log`` files in ``folder``, in the order in which they stand."""
    records: list[Record] = []
    for path in sorted(folder.glob("*.log")):
        payload: list[str] = []
        head: tuple[int, str, dict[str, Any]] | None = None
        # Universal newlines would take a bare \r or \x85 within a payload for a line's end.
        for line in path.read_bytes().decode().split("\n"):
            if line.startswith("\t"):
                payload.append(line[1:])
                continue
            if head is not None:
                records.append(Record(*head, "\n".join(payload)))
                head = None
            payload = []
            if line:
                match = _ENVELOPE.match(line)
                assert match is not None, f"{path.name}: not a record: {line[:120]!r}"
                head = int(match["pid"]), match["source"], json.loads(match["json"])
        if head is not None:
            records.append(Record(*head, "\n".join(payload)))
    return records


def captured_graphs(records: list[Record]) -> list[str]:
    """The readable code of every captured graph, in the order of the captures."""
    return [r.payload for r in records if "compiled_autograd_graph" in r.envelope]


def capturing_engines(records: list[Record]) -> set[str]:
    """Who captured the graphs: "ca", "torch" or a path that is neither's."""
    engines = set()
    for record in records:
        if "compiled_autograd_graph" in record.envelope:
            if "ca_engine/" in record.source:
                engines.add("ca")
            elif record.source.endswith("torch/_dynamo/compiled_autograd.py"):
                engines.add("torch")
            else:
                engines.add(record.source)
    return engines


def dynamo_compiles(records: list[Record]) -> list[str]:
    """The ids of everything Dynamo compiled, such as ``0/0`` and ``!0/1/0``, in order."""
    return [
        record.envelope["compilation_metrics"]["compile_id"]
        for record in records
        if "compilation_metrics" in record.envelope
    ]


def aot_names(code: str) -> Counter[str]:
    """How often each ``aot<id>_…`` name is assigned in a captured graph."""
    return Counter(re.findall(r"^\s*(aot\d+_\w+)(?::.*)? = ", code, flags=re.MULTILINE))


def normalise_graph(code: str) -> list[str]:
    """The lines of a captured graph, equal for two graphs that differ in names only.

    Values are renamed ``v0``, ``v1``, … in the order in which they are defined; the
    parameters keep their names, which are the calling convention. Gone are comments,
    annotations, the ``x = None`` that free a value, the name of the outermost class, which
    holds the capture's number, and items taken from a tuple or an input that nothing uses.
    What stays: targets, arguments, constants, order, nested modules.

    Raises UnreadableGraphError where the code does not parse or holds anything but
    assignments of calls and items, calls and one return.
    """
    try:
        module = ast.parse(code)
    except SyntaxError as error:
        raise UnreadableGraphError(f"line {error.lineno}: {error.msg}: {error.text}") from error
    if len(module.body) != 1 or not isinstance(module.body[0], ast.ClassDef):
        raise UnreadableGraphError("one class was expected")
    return _class_lines(module.body[0], "class")


def _class_lines(definition: ast.ClassDef, title: str) -> list[str]:
    lines = [title]
    for member in definition.body:
        if isinstance(member, ast.FunctionDef):
            lines += _function_lines(member)
        elif isinstance(member, ast.ClassDef):
            lines += _class_lines(member, f"class {member.name}")
        else:
            raise UnreadableGraphError(f"in a class: {ast.unparse(member)}")
    return lines


def _function_lines(function: ast.FunctionDef) -> list[str]:
    statements: list[tuple[list[str], ast.expr] | ast.Return] = []
    for statement in function.body:
        match statement:
            case ast.Return():
                statements.append(statement)
            case ast.Assign(value=ast.Constant(value=None)):
                pass
            case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                # The unpacking of a flat argument list; FX writes no other tuple.
                statements.append(([_name(element) for element in elements], value))
            case ast.Assign(targets=targets, value=value):
                statements.append(([_name(target) for target in targets], value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                statements.append(([_name(target)], value))
            case ast.Expr(value=value):
                statements.append(([], value))
            case _:
                raise UnreadableGraphError(f"in a graph: {ast.unparse(statement)}")

    statements = _without_dead_items(statements)
    names: dict[str, str] = {}
    renamer = _Renamer(names)
    lines = [f"def {function.name}({ast.unparse(function.args)})"]
    for entry in statements:
        if isinstance(entry, ast.Return):
            returned = renamer.visit(entry.value) if entry.value is not None else None
            lines.append("return" if returned is None else f"return {ast.unparse(returned)}")
            continue
        assigned, value = entry
        text = ast.unparse(renamer.visit(value))
        for name in assigned:
            # A name that is assigned again is another value from here on.
            names[name] = f"v{renamer.defined}"
            renamer.defined += 1
        lines.append(f"{', '.join(names[n] for n in assigned)} = {text}" if assigned else text)
    return lines


def _name(target: ast.expr) -> str:
    if not isinstance(target, ast.Name):
        raise UnreadableGraphError(f"assigned to: {ast.unparse(target)}")
    return target.id


def _without_dead_items(
    statements: list[tuple[list[str], ast.expr] | ast.Return],
) -> list[tuple[list[str], ast.expr] | ast.Return]:
    # Backwards, so that an item of an item that nothing uses goes in the same sweep.
    kept: list[tuple[list[str], ast.expr] | ast.Return] = []
    used: set[str] = set()
    for entry in reversed(statements):
        value = entry.value if isinstance(entry, ast.Return) else entry[1]
        if not isinstance(entry, ast.Return):
            targets = entry[0]
            match value:
                case ast.Subscript(value=ast.Name(), slice=ast.Constant()) if targets:
                    if used.isdisjoint(targets):
                        continue
            used.difference_update(targets)
        if value is not None:
            used |= {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
        kept.append(entry)
    return kept[::-1]


class _Renamer(ast.NodeTransformer):
    """Replaces names of values; names of targets and parameters are not in ``names``."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.defined = 0

    def visit_Name(self, node: ast.Name) -> ast.Name:
        closure = _AOT_CLOSURE.match(node.id)
        name = self.names.get(node.id) or (closure[1] if closure else node.id)
        return ast.Name(id=name, ctx=node.ctx)


@dataclass(frozen=True)
class SampleRun:
    """One sample after ``ca run``: what it printed, and its run folder."""

    folder: Path
    stdout: str
    stderr: str

    @property
    def records(self) -> list[Record]:
        return read_trace(self.folder / "trace")

    def explain(self) -> dict[str, Any]:
        """What ``ca explain-recompiles --format json`` says about the run."""
        result = subprocess.run(
            [CA, "explain-recompiles", self.folder, "--format", "json"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        explained = json.loads(result.stdout)
        assert isinstance(explained, dict)
        return explained


def run_sample(
    folder: Path,
    script: str,
    *arguments: str,
    engine: str,
    torch_logs: str = "",
    kernels_of: Path | None = None,
) -> SampleRun:
    """Run ``sample_scripts/<script>.py`` under ``ca run --engine <engine>`` in ``folder``.

    Two runs are comparable to the last digit: one thread, so that sums are added up in one
    order, and caches of the run's own, so that neither finds what torch compiled for the other.
    With `kernels_of`, the folder of another run, equal C++ is not built a second time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if kernels_of is not None and (kernels_of / "inductor").is_dir():
        by_graph = shutil.ignore_patterns("fxgraph", "aotautograd", "locks")
        shutil.copytree(kernels_of / "inductor", folder / "inductor", ignore=by_graph)
    # What the caller's shell says about torch or a run around this one must not leak in.
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("TORCH", "CA_"))
    }
    environment["OMP_NUM_THREADS"] = "1"
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    if torch_logs:
        environment["TORCH_LOGS"] = torch_logs
    run = folder / "run"
    result = warm.python().run(
        [
            *(str(CA), "run", "-o", str(run), "--engine", engine, "--no-report", "--quiet"),
            *(str(SAMPLES / f"{script}.py"), *arguments),
        ],
        cwd=folder,
        env=environment,
        timeout=290,
    )
    assert result.returncode == 0, f"exit code {result.returncode}\n{result.stderr[-4000:]}"
    return SampleRun(run, result.stdout, result.stderr)
