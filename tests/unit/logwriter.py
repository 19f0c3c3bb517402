"""Writes logs in the format of torch's structured trace, for tests of the readers."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

GRAPH_ROOT = (
    "Cache miss due to new autograd node: torch::autograd::GraphRoot (NodeCall 0) "
    "with key size 39, previous key sizes=[]"
)
GRAPH_CODE = """\
class CompiledAutograd0(torch.nn.Module):
    def forward(self, inputs, sizes, scalars, hooks, packed_data):
        # code: SumBackward0 (NodeCall 1)
        getitem = inputs[0]
        sum_backward0 = torch__dynamo_compiled_autograd_ops_SumBackward0([getitem], [True], [10])
        getitem_1 = sum_backward0[0]
        return []
"""
START = 1_700_000_000.0


class LogWriter:
    """Collects records; ``data`` are the bytes of the log so far."""

    def __init__(self, pid: int = 4711, rank: int | None = None) -> None:
        self.pid = pid
        self.rank = rank
        self.records: list[bytes] = []
        self._strings: dict[str, int] = {}

    @property
    def data(self) -> bytes:
        return b"".join(self.records)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path

    def record(
        self, kind: str, body: Any, payload: str | bytes | None = None, **context: Any
    ) -> None:
        """One record; ``payload`` follows with its md5 in the envelope."""
        envelope: dict[str, Any] = {kind: body}
        if self.rank is not None:
            envelope["rank"] = self.rank
        envelope.update(context)
        if payload is not None:
            raw = payload.encode() if isinstance(payload, str) else payload
            envelope["has_payload"] = hashlib.md5(raw).hexdigest()
        line = (
            f"V1121 06:19:{len(self.records) % 60:02d}.425000 {self.pid} "
            f"torch/_dynamo/utils.py:2350] {json.dumps(envelope)}\n"
        ).encode()
        if payload is not None:
            line += b"".join(b"\t" + part + b"\n" for part in raw.split(b"\n"))
        self.records.append(line)

    def artifact(self, name: str, payload: Any, encoding: str = "json", **context: Any) -> None:
        text = payload if isinstance(payload, (str, bytes)) else json.dumps(payload, indent=0)
        self.record("artifact", {"name": name, "encoding": encoding}, text, **context)

    def string(self, name: str) -> int:
        """Intern ``name`` the way torch does, once."""
        if name not in self._strings:
            self._strings[name] = len(self._strings)
            self.record("str", [name, self._strings[name]])
        return self._strings[name]

    # ---- what torch writes

    def torch_capture(
        self,
        id: int,
        reasons: list[str] | None = None,
        seconds: float | None = None,
        code: str = GRAPH_CODE,
    ) -> None:
        """A capture as stock torch logs it; ``reasons`` are cumulative, with their ids."""
        context: dict[str, Any] = {"compiled_autograd_id": id, "attempt": 0}
        if seconds is not None:
            self.chromium("B", id, START * 1e6)
        if reasons is not None:
            self.artifact("compiled_autograd_compile_reasons", reasons, **context)
        self.artifact(
            "compiled_autograd_graph_pre_reordering", code + "# before\n", "string", **context
        )
        self.record("compiled_autograd_graph", {}, code, **context)
        if seconds is not None:
            self.chromium("E", id, (START + seconds) * 1e6)

    def chromium(self, phase: str, id: int, microseconds: float) -> None:
        event = {
            "name": "compiled_autograd",
            "ts": microseconds,
            "args": {"graph_id": id, "compile_id": f"!{id}"},
            "ph": phase,
            "cat": "dynamo_timed",
        }
        self.record(
            "chromium_event", {}, json.dumps(event, indent=0), compiled_autograd_id=id, attempt=0
        )

    def compiled(
        self,
        compile_id: str,
        seconds: float | None = 1.0,
        stack: list[tuple[str, int, str, str]] | None = None,
        graphs: int = 1,
        **metrics: Any,
    ) -> None:
        """A compile of Dynamo's: its start, its graphs, its metrics."""
        context = self.context(compile_id)
        if stack is not None:
            frames = [
                {"filename": self.string(file), "line": line, "name": name, "loc": loc}
                for file, line, name, loc in stack
            ]
            self.record("dynamo_start", {"stack": frames}, **context)
        for _ in range(graphs):
            self.record("dynamo_output_graph", {"sizes": {}}, "class GraphModule: ...", **context)
        body = {
            "compile_id": compile_id,
            "co_filename": "/home/user/train.py",
            "co_firstlineno": 7,
            "co_name": "step",
            "entire_frame_compile_time_s": seconds,
            "recompile_reason": None,
            "restart_reasons": [],
            **metrics,
        }
        self.record("compilation_metrics", body, **context)

    def cuda_graph_recorded(
        self, compile_id: str, begin: float, seconds: float, **args: Any
    ) -> None:
        """What torch 2.13.0 writes around one recording of a CUDA graph."""
        args = {"is_backward": False, "compile_id": compile_id, **args}
        for phase, time in (("B", begin), ("E", begin + seconds)):
            event = {
                "name": "CUDAGraphNode.record",
                "ts": (START + time) * 1e6,
                "args": args,
                "ph": phase,
                "cat": "dynamo_timed",
                "tid": 0,
                "pid": 0,
            }
            self.record("chromium_event", {}, json.dumps(event, indent=0))

    @staticmethod
    def context(compile_id: str) -> dict[str, Any]:
        parts = compile_id.split("/")
        context: dict[str, Any] = {}
        if parts[0].startswith("!"):
            context["compiled_autograd_id"] = int(parts.pop(0)[1:])
        context["frame_id"], context["frame_compile_id"] = int(parts[0]), int(parts[1])
        context["attempt"] = 0
        return context

    # ---- what ca_engine writes

    def own(self, name: str, **body: Any) -> None:
        self.artifact(name, {"schema_version": 1, **body})

    def ca_run(self, **more: Any) -> None:
        body = {
            "time": START,
            "pid": self.pid,
            "ppid": 1,
            "rank": self.rank,
            "argv": ["train.py"],
            "cwd": "/home/user",
            "executable": "/usr/bin/python3",
            "host": "box",
            "platform": "Linux",
            "versions": {"torch": "2.13.0"},
            "engine": "ca",
            "enabled": True,
            "backend": "eager",
            "dynamic": None,
        }
        self.own("ca_run", **{**body, **more})

    def ca_capture(self, id: int, kind: str = "first", **more: Any) -> None:
        body = {
            "time": START + 1 + id,
            "id": id,
            "step": id,
            "kind": kind,
            "reason": GRAPH_ROOT if kind == "first" else None,
            "node": None,
            "key_size": None,
            "previous_key_sizes": [],
            "sizes_changed": [],
            "sizes_total": None,
            "stack": [frame("/home/user/train.py", 11, "main", "loss.backward()")],
            "inputs": 2,
            "sizes": [],
            "scalars": [],
            "accumulate_grad": True,
            "modes": {},
            "seconds": {"capture": 0.5, "compile": 0.001, "snapshot": 0.01},
            "fx_nodes": {"call_function": 7, "total": 9},
            "autograd_nodes": 3,
            "autograd_graph": [],
            "autograd_truncated": 0,
            "closest_capture": None,
            "changes": [],
            "error": None,
        }
        self.own("ca_capture", **{**body, **more})

    def ca_backwards(self, rows: list[tuple[int, int]], first_step: int = 0) -> None:
        """``rows``: (capture, miss) of each backward, a second apart."""
        self.own(
            "ca_backwards",
            time=START + 1 + first_step,
            step=[first_step + index for index in range(len(rows))],
            capture=[capture for capture, _ in rows],
            start=[float(index) for index in range(len(rows))],
            seconds=[0.25] * len(rows),
            miss=[miss for _, miss in rows],
            failed=[0] * len(rows),
        )

    def ca_end(self, time: float, backwards: int, hits: int, **more: Any) -> None:
        body = {
            "time": time,
            "backwards": backwards,
            "captures": backwards - hits,
            "failed_captures": 0,
            "hits": hits,
            "unique_graphs": 2,
            "error": None,
        }
        self.own("ca_end", **{**body, **more})


def frame(file: str, line: int, function: str, code: str) -> dict[str, Any]:
    return {"file": file, "line": line, "function": function, "code": code}


def keep_source(run: Path, file: str, text: str | None, digest: str = "0") -> None:
    """Write the ``source.json`` of a run folder that has kept one file."""
    kept = {"file": file, "hash": digest, "text": text}
    (run / "source.json").write_text(json.dumps({"schema_version": 1, "files": [kept]}))


def run_file(**more: Any) -> dict[str, Any]:
    """A ``run.json`` of a run that ended well."""
    return {
        "schema_version": 1,
        "command": ["ca", "run", "train.py"],
        "script": "train.py",
        "cwd": "/home/user",
        "host": "box",
        "executable": "/usr/bin/python3",
        "versions": {"torch": "2.13.0"},
        "engine": "ca",
        "start": START,
        "end": START + 9,
        "exit_code": 0,
        "processes": [],
        **more,
    }


def sample_run(**process: Any) -> LogWriter:
    """Ten backwards: three captures (two again), a recompiled graph, a forward recompile.

    ``process`` is as for `LogWriter`.
    """
    log = LogWriter(**process)
    log.ca_run()
    log.ca_capture(0)
    log.torch_capture(0)
    log.compiled("!0/1/0", 2.0)
    log.ca_capture(
        1,
        "new_autograd_node",
        reason="Cache miss due to new autograd node: PowBackward0 (NodeCall 3) with key size 47, "
        "previous key sizes=[47]",
        node={"index": 3, "name": "PowBackward0"},
        key_size=47,
        previous_key_sizes=[47],
        closest_capture=0,
        changes=[
            {"index": 3, "name": "PowBackward0", "attribute": "exponent", "before": 2, "after": 3}
        ],
        autograd_graph=[
            {"index": 1, "name": "torch::autograd::AccumulateGrad", "parameter": "head.weight"},
            {"index": 3, "name": "PowBackward0"},
            {"index": 4, "name": "torch::autograd::AccumulateGrad", "parameter": "body.2.weight"},
        ],
        seconds={"capture": 0.25},
    )
    log.torch_capture(1)
    log.compiled("!1/2/0", 1.0)
    log.ca_capture(
        2,
        "changed_shapes",
        reason="Cache miss due to 2 changed tensor shapes (total of 4): sizes[0], sizes[1]",
        sizes_changed=[0, 1],
        sizes_total=4,
        closest_capture=1,
        changes=[
            {
                "index": 1,
                "name": "SumBackward0",
                "attribute": f"sizes[{index}]",
                "before": 10,
                "after": 100,
            }
            for index in (0, 1)
        ],
        seconds={"capture": 0.125},
    )
    log.torch_capture(2)
    log.compiled("!2/3/0", 0.5)
    log.compiled("!2/3/1", 4.0, recompile_reason="!2/3/0: tensor 'sizes[0]' size mismatch")
    log.compiled("4/0", 8.0)
    log.compiled("4/1", 16.0, recompile_reason="4/0: n == 1.0   # return y * n")
    log.ca_backwards([(0, 1), (0, 0), (1, 1), (1, 0)])
    log.ca_backwards([(2, 1), (2, 0), (2, 0), (0, 0), (0, 0), (1, 0)], first_step=4)
    log.ca_end(START + 40, backwards=10, hits=7)
    return log
