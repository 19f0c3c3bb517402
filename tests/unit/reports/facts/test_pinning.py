"""Sizes that a line of the program makes constants of, and what is done about them."""

from __future__ import annotations

import hashlib
import json
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from tests.unit.logwriter import START, LogWriter, keep_source, run_file

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

LIBRARY = "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py"


def run(
    folder: Path,
    source: str,
    sizes: list[int],
    *,
    reasons: list[str] | None = None,
    pinned_at: tuple[str, ...] = (),
    dynamic: bool = True,
    held: list[dict[str, Any]] | None = None,
) -> list[Finding]:
    """The findings of a ``forward(self, x)`` whose first dimension has these sizes.

    ``pinned_at`` are pieces of the lines at which each compile made constants, in that order; the
    file of torch's stands for a line of its own.
    """
    text = dedent(source)
    file = folder / "net.py"
    file.write_text(text)
    lines = text.splitlines()
    log = LogWriter()
    log.ca_run(enabled=False, backend=None)
    name = log.string(str(file))
    begin = next(at for at, line in enumerate(lines, 1) if "def forward" in line)
    for number, size in enumerate(sizes):
        context = log.context(f"0/{number}")
        reason = None
        if number:
            told = (
                f"tensor 'x' size mismatch at index 0. expected {sizes[number - 1]}, actual {size}"
            )
            reason = f"0/{number - 1}: {told if reasons is None else reasons[number - 1]}"
        record: dict[str, Any] = {
            "schema_version": 1, "time": START + number, "guards": [],
            "arguments": {
                "self": {"type": "net.Net", "identity": 1},
                "x": {"type": "torch.Tensor", "shape": [size, 4], "identity": 9 + number},
            },
        }  # fmt: skip
        if held is not None and number:
            record["guards"] = [{"failed": f"0/{number - 1}", **held[number - 1]}]
        log.artifact("ca_guards", record, **context)
        for piece in pinned_at:
            at = next((at for at, line in enumerate(lines, 1) if piece in line), 130)
            is_own = at <= len(lines)
            own = {
                "line": at,
                "name": "forward",
                "filename": name if is_own else log.string(LIBRARY),
                "loc": lines[at - 1].strip() if is_own else piece,
            }
            log.record(
                "symbolic_shape_specialization",
                {"sources": ["L['x'].size()[0]"], "value": str(size), "user_stack": [own]},
                **context,
            )
        log.compiled(
            f"0/{number}", recompile_reason=reason, co_filename=str(file), co_name="forward",
            co_firstlineno=begin, start_time=START + number,
            dynamo_config=json.dumps(
                {"assume_static_by_default": not dynamic, "automatic_dynamic_shapes": True}
            ),
        )  # fmt: skip
        log.records[-2] = b""  # the graph of the compile: its sizes are those of its arguments
        log.record("dynamo_output_graph", {"sizes": {"l_x_": [size, 4]}}, "class G: ...", **context)
    log.ca_end(START + 30, backwards=0, hits=0)
    log.write(folder / "run" / "trace" / "trace.log")
    (folder / "run" / "run.json").write_text(json.dumps(run_file(cwd=str(folder))))
    keep_source(folder / "run", str(file), text, hashlib.sha256(text.encode()).hexdigest())
    return [*analyze(ca_reports.load([folder / "run"])).diagnosis.findings]


LOOP = """
    class Net:
        def step(self, row, state):
            return state + row

        def forward(self, x):
            state = 0
            for t in range(x.shape[0]):
                state = self.step(x[t], state)
            return state
"""


def test_a_loop_over_a_size_is_the_line_and_one_round_is_compiled(tmp_path: Path) -> None:
    (found,) = run(tmp_path, LOOP, [3, 5, 4, 7], pinned_at=("for t in",))
    assert (found.code, found.known_by) == ("CA102", "recorded")
    assert found.location is not None
    assert found.location.code == "for t in range(x.shape[0]):"
    assert found.message.endswith("; net.py:8 makes a constant of it")
    assert found.fix.startswith(
        "take the loop over `range(x.shape[0])` out of the compiled code, and compile `self.step`"
    )
    assert "or pad to one length (at least 7)" in found.fix


def test_what_another_size_made_a_constant_is_that_ones_line(tmp_path: Path) -> None:
    text = LOOP.replace("return state\n", "return x.sum(1) * state\n")
    (found,) = run(tmp_path, text, [3, 5, 4, 7], pinned_at=("for t in", "x.sum(1)"))
    assert found.location is not None
    assert found.location.code == "for t in range(x.shape[0]):"


def test_a_comprehension_over_a_size_is_a_loop(tmp_path: Path) -> None:
    source = """
        class Net:
            def forward(self, x):
                return [row.sum() for row in x.unbind(0)]
    """
    (found,) = run(tmp_path, source, [3, 5, 4, 7], pinned_at=("x.unbind",))
    assert "take the loop over `x.unbind(0)` out of the compiled code, and compile what one " in (
        found.fix
    )


def test_another_line_that_needs_the_number_is_named(tmp_path: Path) -> None:
    source = """
        class Net:
            def forward(self, x):
                if x.shape[0] == len(TABLE):
                    return x
                return x + 1
    """
    (found,) = run(tmp_path, source, [3, 5, 4, 7], pinned_at=("len(TABLE)",))
    assert found.location is not None
    assert found.location.code == "if x.shape[0] == len(TABLE):"
    assert found.fix.startswith(
        "rewrite `if x.shape[0] == len(TABLE):` (net.py:4) so that it doesn't"
    )


def test_what_an_operation_of_torchs_needs_is_no_line_of_the_programs(tmp_path: Path) -> None:
    source = """
        class Net:
            def forward(self, x):
                return self.linear(x)
    """
    (found,) = run(tmp_path, source, [3, 5, 4, 7], pinned_at=("return F.linear",))
    assert "makes a constant of it" not in found.message


def test_dynamic_sizes_that_are_on_are_not_advised(tmp_path: Path) -> None:
    source = """
        class Net:
            def forward(self, x):
                return x + 1
    """
    (on,) = run(tmp_path, source, [3, 5], dynamic=True)
    assert "with dynamic=True" not in on.fix
    assert "dynamic=True is set" in on.fix or "dynamic=True won't help" in on.fix


CACHE = """
    class Net:
        def forward(self, x):
            n = x.shape[0]
            if n != self.size:
                self.size = n
                self.mask = made(n)
            return x * self.mask
"""


def test_a_size_that_is_compared_with_what_is_kept_is_one_cause_with_it(tmp_path: Path) -> None:
    """Each second compile is for the size, and the one after it for the number that was kept."""
    mismatch = "tensor 'x' size mismatch at index 0. expected {}, actual {}"
    equals = "self.size == {}  # if n != self.size:  # {}:5 in forward"
    file = tmp_path / "net.py"
    found = run(
        tmp_path,
        CACHE,
        [9, 12, 12, 15, 15, 20],
        reasons=[
            mismatch.format(9, 12), equals.format(9, file), mismatch.format(12, 15),
            equals.format(12, file), mismatch.format(15, 20),
        ],
        held=[
            {"source": "x"}, {"source": "self.size", "held": {"type": "int", "value": 12}},
            {"source": "x"}, {"source": "self.size", "held": {"type": "int", "value": 15}},
            {"source": "x"},
        ],
        pinned_at=("n != self.size",),
    )  # fmt: skip
    (one,) = found
    assert one.code == "CA704"
    assert len(one.events) == 5
    assert "a size of `x` is compared with it, which makes a constant of that too" in one.message
    assert one.fix.startswith("`size` says when `mask` is made again (`n != self.size`, net.py:5)")
