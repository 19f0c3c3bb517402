"""Runs for the tests of gates: logs as the engine writes them, read back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from ca_reports.gates.config import GateSettings
from ca_reports.gates.gate import judge
from ca_reports.words.places import Places
from tests.unit.logwriter import START, LogWriter, frame, sample_run
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ca_reports.gates.baseline import Entry
    from ca_reports.gates.gate import Verdict
    from ca_reports.run.model import Run

# What somebody who wants to break a report would write into a log.
NASTY = (
    "]]></failure><script>alert(1)</script>\x00\x1b[31m\x08 ::error file=x::y %0A\r\n::warning::z "
    "`` ` @everyone #12 |a|b| **bold** [x](http://evil.example) \u202e </details>"
)


def sample(folder: Path, **recorded: Any) -> Run:
    """Three captures (two again), two recompiles, 21.9 s lost of 40 s; CA000, CA202, CA206."""
    return ca_reports.load([run_folder(folder, sample_run(), **recorded)])


def crashed(folder: Path, *, error: str | None = "BackendCompilerFailed: no compiler") -> Run:
    """A compile that raised; ``error`` ended the process, which caught it if that is another."""
    log = LogWriter()
    log.ca_run()
    call = ("/home/user/train.py", 20, "main", "step(words)")
    log.compiled(
        "0/0", stack=[call], fail_type="BackendCompilerFailed", fail_reason="no compiler", graphs=0
    )
    kind = None if error is None else error.partition(":")[0]
    log.ca_end(START + 5, 0, 0, error=kind, error_text=error)
    return ca_reports.load([run_folder(folder, log, exit_code=0 if error is None else 1)])


def recapturing(
    values: Sequence[int],
    *,
    line: int = 11,
    function: str = "main",
    seconds: float = 0.5,
    hits: Sequence[float] = (),
    node: str = "PowBackward0",
    rank: int | None = None,
    file: str = "/home/user/train.py",
) -> LogWriter:
    """A first capture, and one for each of ``values``, a number that is baked in (CA206).

    ``hits`` are seconds of hits of the first capture at the end.
    """
    log = LogWriter(pid=4711 + (rank or 0), rank=rank)
    log.ca_run()
    stack = [frame(file, line, function, "loss.backward()")]
    log.ca_capture(0, stack=stack, seconds={"capture": seconds})
    log.torch_capture(0)
    for id, value in enumerate(values, start=1):
        log.ca_capture(
            id,
            "new_autograd_node",
            reason=f"Cache miss due to new autograd node: {node} (NodeCall 3) with key size 47, "
            "previous key sizes=[47]",
            node={"index": 3, "name": node},
            key_size=47,
            previous_key_sizes=[47],
            closest_capture=0,
            changes=[
                {"index": 3, "name": node, "attribute": "exponent", "before": 2, "after": value}
            ],
            autograd_graph=[{"index": 3, "name": node}],
            stack=stack,
            seconds={"capture": seconds},
        )
        log.torch_capture(id)
    captures = len(values) + 1
    log.ca_backwards([(id, 1) for id in range(captures)])
    log.own(
        "ca_backwards",
        time=START + captures,
        step=[captures + index for index in range(len(hits))],
        capture=[0] * len(hits),
        start=[float(index) for index in range(len(hits))],
        seconds=list(hits),
        miss=[0] * len(hits),
        failed=[0] * len(hits),
    )
    log.ca_end(START + 20, backwards=captures + len(hits), hits=len(hits))
    return log


def with_internal_recompile(log: LogWriter) -> None:
    """Add a recompile of Python's own code that ran between the engine and a captured graph."""
    torch = "/venv/lib/python3.11/site-packages/torch"
    stack = [
        ("/home/user/train.py", 11, "main", "loss.backward()"),
        (f"{torch}/autograd/graph.py", 869, "_engine_run_backward", ""),
        (f"{torch}/_dynamo/compiled_autograd.py", 1170, "runtime_wrapper", ""),
        ("/usr/lib/python3.11/inspect.py", 1762, "_check_class", ""),
    ]
    inspect: dict[str, Any] = {
        "co_filename": stack[-1][0],
        "co_name": stack[-1][2],
        "co_firstlineno": 1760,
    }
    log.compiled("9/0", 1.0, stack, **inspect)
    log.compiled("9/1", 1.0, stack, recompile_reason="9/0: klass changed", **inspect)


def nasty(folder: Path) -> Run:
    """A run whose every text tries to get out of the report."""
    log = recapturing([3], function=NASTY, node=NASTY, file=f"/home/user/{NASTY}.py")
    return ca_reports.load([run_folder(folder, log, script=f"{NASTY}.py")])


def judged(run: Run, settings: GateSettings, known: Sequence[Entry] | None = None) -> Verdict:
    """The verdict, with paths relative to where the run was started."""
    return judge(analyze(run, root=settings.folder), settings, known)


def places(run: Run, settings: GateSettings | None = None) -> Places:
    """Paths relative to the settings' folder, as in a repository that is no git clone."""
    return Places((settings or GateSettings()).folder, "/home/user")


def ca_toml(folder: Path, text: str) -> Path:
    path = folder / "ca.toml"
    path.write_text(text)
    return path
