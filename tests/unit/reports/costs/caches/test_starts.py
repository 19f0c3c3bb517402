"""Why a graph was compiled again."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

import ca_reports
from ca_engine import schema
from ca_engine.cache_keys import ShortenedKeys, Surroundings
from ca_reports.costs.caches.starts import examine
from ca_reports.output import caches_json
from ca_reports.program.files import SourceFiles
from ca_reports.sentences import caches as words
from tests.unit.logwriter import frame
from tests.unit.reports.costs.caches.made import (
    GRAPH,
    PARTS,
    SIZE,
    CacheLog,
    components,
    key_of,
    start_of,
    started,
)
from tests.unit.reports.written import run_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ca_reports.costs.caches.starts import Start

OTHER_SIZE = SIZE.replace("[6, 4]", "[5, 4]")


def causes(start: Start) -> list[list[tuple[str, str | None, str | None]]]:
    return [
        [(one.differing.name, one.differing.before, one.differing.after) for one in cause.differs]
        for cause in start.causes
    ]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"cpp_runtime_thread_count": "1"}, [[("cpp_runtime_thread_count", "2", "1")]]),
        (
            {"example_inputs[0]": OTHER_SIZE},
            [[("example_inputs[0]", "size [6, 4]", "size [5, 4]")]],
        ),
        (
            {"gm": GRAPH.replace("relu(x)", "tanh(x)")},
            [[("gm", "relu = torch.relu(x)", "relu = torch.tanh(x)")]],
        ),
        # Another graph has other inputs, and inductor is called otherwise for it.
        (
            {
                "gm": GRAPH.replace("relu(x)", "tanh(x)"),
                "example_inputs[0]": OTHER_SIZE,
                "fx_kwargs[static_input_idxs]": "[1]",
            },
            [[("gm", "relu = torch.relu(x)", "relu = torch.tanh(x)")]],
        ),
        # A buffer for a parameter: what is said of the arguments follows.
        (
            {
                "gm": GRAPH.replace("x)", "x : torch.nn.parameter.Parameter)", 1),
                "example_inputs[0]": SIZE.replace("requires_grad=False", "requires_grad=True"),
            },
            [[("example_inputs[0]", "requires_grad False", "requires_grad True")]],
        ),
        # Sizes are written into the graph.
        (
            {"gm": GRAPH.replace("x)\n", "x, 5)\n"), "example_inputs[0]": OTHER_SIZE},
            [[("gm", "relu = torch.relu(x)", "relu = torch.relu(x, 5)")]],
        ),
        # Autocast makes another graph.
        (
            {"gm": GRAPH.replace("x)", "x16)"), "autocast_state[cpu]": "torch.bfloat16"},
            [[("autocast_state[cpu]", None, "torch.bfloat16")]],
        ),
        # Two settings of nothing in common are two causes.
        (
            {"cpp_runtime_thread_count": "1", "inductor_config[max_autotune]": "True"},
            [
                [("cpp_runtime_thread_count", "2", "1")],
                [("inductor_config[max_autotune]", "False", "True")],
            ],
        ),
        ({"fx_kwargs[layout_opt]": "True"}, [[("fx_kwargs[layout_opt]", None, "True")]]),
    ],
)
def test_the_cause_is_what_the_rest_follows_from(
    tmp_path: Path, changed: Mapping[str, str], expected: list[Any]
) -> None:
    start = started(tmp_path, start_of({**PARTS, **changed}), start_of())
    assert causes(start) == expected
    assert start.outcomes == {"compiled": 1}
    assert start.seconds == 4.0
    assert not start.unexplained


def test_sizes_that_a_graph_has_in_its_code_are_no_other_graph(tmp_path: Path) -> None:
    parts = {**PARTS, "gm": GRAPH.replace("(x)", "(x, [6, 4])")}
    later = {**PARTS, "gm": GRAPH.replace("(x)", "(x, [5, 4])"), "example_inputs[0]": OTHER_SIZE}
    start = started(tmp_path, start_of(later), start_of(parts))
    assert causes(start) == [[("example_inputs[0]", "size [6, 4]", "size [5, 4]")]]


def test_dynamic_sizes_are_the_cause_of_the_graph_that_they_make(tmp_path: Path) -> None:
    later = dict(PARTS)
    later["gm"] = GRAPH.replace("(self, x)", "(self, s77 : torch.SymInt, x)")
    later["example_inputs[0]"] = "('s77',)"
    later["example_inputs[1]"] = SIZE.replace("[6, 4]", "[s77, 4]")
    start = started(tmp_path / "1", start_of(later), start_of())
    assert causes(start) == [[("example_inputs[1]", "size [6, 4]", "size [s77, 4]")]]
    (cause,) = start.causes
    assert cause.differs[0].differing.fields == ("dynamic",)
    assert words.cause_title(cause) == "Dynamic sizes: size [6, 4] → size [s77, 4]"
    back = started(tmp_path / "2", start_of(), start_of(later))
    assert causes(back) == [[("example_inputs[0]", "size [s77, 4]", "size [6, 4]")]]


def test_inputs_in_another_order_are_no_other_model(tmp_path: Path) -> None:
    def log(*sizes: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        # As in real keys, the hashes of equal values agree.
        listed = [
            f"[{hashlib.sha256(size.encode()).hexdigest()}] example_inputs[{at}]: {size}"
            for at, size in enumerate(sizes)
        ]
        made.looked_up("0/0", {"sizes": repr(sizes)}, components=listed)
        made.compiled("0/0", 5.0, co_name="step")
        return made

    (cause,) = started(tmp_path, log(SIZE, OTHER_SIZE), log(OTHER_SIZE, SIZE)).causes
    assert [found.differing.fields for found in cause.differs] == [("order",), ("order",)]
    assert words.cause_title(cause) == "The same operations in another order"
    assert "sorted(…)" in words.fix(cause)


@pytest.mark.parametrize(
    ("before", "after", "title", "takes_tensors"),
    [
        ("div = x / 2.0", "div = x / 2.5", "Another number in the graph", True),
        ("mul = torch.mul(x, 2.0)", "mul = torch.mul(x, 2.5)", "Another number in the graph", True),
        ("sum_1 = x.sum(-1)", "sum_1 = x.sum(-2)", "Another number in the graph", False),
        (
            "y = torch.nn.functional.dropout(x, 0.1, True, False);  x = None",
            "y = torch.nn.functional.dropout(x, 0.3, True, False);  x = None",
            "Another number in the graph",
            False,
        ),
        ("add_1 = x + p_1", "add_1 = x + p_2", "Another graph", False),
        ("add = x + 1", "add = x + y", "Another graph", False),
    ],
)
def test_a_number_that_is_part_of_the_graph(
    tmp_path: Path, before: str, after: str, title: str, *, takes_tensors: bool
) -> None:
    was, now = (
        start_of({**PARTS, "gm": GRAPH.replace("relu = torch.relu(x)", line)})
        for line in (before, after)
    )
    (cause,) = started(tmp_path, now, was).causes
    assert words.cause_title(cause) == title
    assert ("as a tensor" in words.fix(cause)) == takes_tensors


def test_of_a_number_that_each_start_may_make_afresh_no_warm_start_is_promised(
    tmp_path: Path,
) -> None:
    was, now = (
        start_of({**PARTS, "gm": GRAPH.replace("relu = torch.relu(x)", f"add = x + {started_at}")})
        for started_at in ("8.67", "0.03")
    )
    (cause,) = started(tmp_path, now, was).causes
    assert "the next start is warm" not in words.fix(cause)
    assert words.fix(cause).endswith("only a start with the same number as this one is warm")


def test_a_number_of_an_optimizer_is_set_where_that_is_made(tmp_path: Path) -> None:
    def log(rate: str, file: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        code = f"# File: {file}:472 in step, code: torch._foreach_add_(params, grads, alpha=-lr)\n"
        operation = f"add_ = torch._foreach_add_(x, y, alpha = -{rate})"
        made.record("dynamo_output_graph", {"sizes": {}}, code + operation, **made.context("0/0"))
        made.looked_up("0/0", {**PARTS, "gm": GRAPH.replace("relu = torch.relu(x)", operation)})
        made.compiled("0/0", 5.0, co_filename=str(script))
        return made

    script = tmp_path / "train.py"
    script.write_text("import torch\noptimizer = torch.optim.SGD(parameters, lr=rate)\n")
    fixes = {}
    for file in ("/v/site-packages/torch/optim/sgd.py", "/home/user/sgd.py"):
        folder = tmp_path / file.replace("/", "_")
        start = started(folder, log("0.5", file), log("0.25", file), roots=(tmp_path,))
        (cause,) = start.causes
        assert words.cause_title(cause) == "Another number in the graph"
        fixes[file] = words.cause_lines(cause)[3:]
    told, fix = fixes["/v/site-packages/torch/optim/sgd.py"]
    assert told == "Set at train.py:2 (`optimizer = torch.optim.SGD(parameters, lr=rate)`)."
    assert "`lr=torch.tensor(…)`" in fix
    assert "takes a Python number only" in fixes["/home/user/sgd.py"][-1]


def test_a_name_of_dynamos_cache_is_one_cause_of_all_graphs(tmp_path: Path) -> None:
    # As torch 2.13.0 writes it; a long one is cut in its middle.
    config = "(0, True, False, [LocalSource(local_name='x'), {}], True, False, {})"
    cut = "LocalSource(loc" + schema.CUT + "e='y')"

    def log(*names: str | None) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        for number, name in enumerate(names):
            shown = config.format(cut if number else "1", repr(name) if name else None)
            own = {**PARTS, "aot_config": shown, "cache_key_tag": f"{number}"}
            made.looked_up(f"{number}/0", own, cache="aotautograd")
            made.looked_up(f"{number}/0", own, state="hit")
            made.compiled(f"{number}/0", 5.0, co_name=f"step{number}")
        return made

    def named(start: str) -> list[str]:
        return [f"__compiled_fn_{n}_{start}_aa81_43b0_a261_599b9d72fb15" for n in (1, 3)]

    (cause,) = started(tmp_path / "both", log(*named("6a")), log(*named("63"))).causes
    title = "Dynamo's cache (`caching_precompile`) is on, and did not have it"
    assert words.cause_title(cause) == title
    assert len(cause.compiles) == 2
    assert "ca run --cache FILE" in words.fix(cause)
    (cause,) = started(tmp_path / "one", log(*named("6a")), log(None, None)).causes
    assert words.cause_title(cause) == f"aot_config: absent → {named('6a')[0]}"


def test_operations_in_another_order_are_no_other_code(tmp_path: Path) -> None:
    two = GRAPH.replace("    return", "    tanh = torch.tanh(x)\n    return")
    lines = two.split("\n")
    lines[3], lines[4] = lines[4], lines[3]
    turned = {**PARTS, "gm": "\n".join(lines)}
    (cause,) = started(tmp_path, start_of(turned), start_of({**PARTS, "gm": two})).causes
    assert words.cause_title(cause) == "The same operations in another order"
    assert "sorted(…)" in words.fix(cause)
    assert "- relu = torch.relu(x)" in words.cause_lines(cause)


@pytest.mark.parametrize(
    ("changed", "remedy"),
    [
        (SIZE.replace("[6, 4]", "[5, 4]"), "dynamic=True"),
        (SIZE.replace("float32", "float64"), ".to(torch.float32)"),
        (SIZE.replace("(4, 1)", "(1, 6)"), ".contiguous()"),
        (SIZE.replace("requires_grad=False", "requires_grad=True"), "want gradients"),
        (SIZE.replace("type='cpu'", "type='cuda', index=0"), "the same device"),
    ],
)
def test_what_to_do_about_an_input_depends_on_what_differs(
    tmp_path: Path, changed: str, remedy: str
) -> None:
    start = started(tmp_path, start_of({**PARTS, "example_inputs[0]": changed}), start_of())
    assert remedy in words.fix(start.causes[0])


def test_a_parameter_of_another_size_is_another_model(tmp_path: Path) -> None:
    graph = GRAPH.replace("x)", "x : torch.nn.parameter.Parameter)", 1)
    other = {**PARTS, "gm": graph, "example_inputs[0]": OTHER_SIZE}
    start = started(tmp_path, start_of(other), start_of({**PARTS, "gm": graph}))
    assert words.fix(start.causes[0]).startswith("none: this is a model of another size")


def test_what_a_cache_does_not_take_needs_no_partner(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.bypassed("0/0", "SAC context_fn does not have a cache_hash attribute.")
    log.looked_up("0/0", state="hit")
    log.compiled("0/0", 5.0)
    start = started(tmp_path, log, start_of())
    assert start.outcomes == {"traced": 1}
    assert start.unexplained == ()
    assert words.headline(start).startswith("Partly warm: the graph was traced again")


def test_a_module_of_torch_is_named_by_the_line_that_calls_it(tmp_path: Path) -> None:
    library = "/env/lib/python3.11/site-packages/torch/_dynamo/external_utils.py"
    log = CacheLog()
    log.ca_run(enabled=False)
    log.looked_up("0/0")
    stack = [("/home/me/train.py", 3, "main", "net(x)")]
    log.compiled("0/0", 5.0, stack, co_name="inner", co_filename=library)
    (compiled,) = started(tmp_path, log).compiles
    assert compiled.location is not None
    assert (compiled.location.file, compiled.location.line) == ("/home/me/train.py", 3)


def test_another_build_of_torch_is_told_by_versions(tmp_path: Path) -> None:
    start = started(tmp_path, start_of({**PARTS, "torch_version": "\ufffdN"}), start_of())
    ((found,),) = causes(start)
    assert found == ("torch_version", "2.13.0", "2.13.0")


def test_a_hit_is_warm_and_what_it_saved_counts_once(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.looked_up("0/0", state="hit", time_saved_ns=3 * 10**9)
    log.looked_up(
        "0/0", {"aot_config": "1"}, cache="aotautograd", state="hit", time_saved_ms=3000.0
    )
    log.compiled("0/0", 1.0)
    start = started(tmp_path, log, start_of())
    assert start.outcomes == {"warm": 1}
    assert (start.seconds, start.saved) == (0.0, 3.0)
    assert start.causes == ()


def test_aotautograds_miss_says_why_for_all_that_comes_after_it(tmp_path: Path) -> None:
    def log(threads: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        own = {**PARTS, "cpp_runtime_thread_count": threads}
        made.looked_up("0/0", {**own, "grad_enabled": "True"}, cache="aotautograd")
        made.looked_up("0/0", own)
        made.looked_up("0/0", {**own, "fx_kwargs[is_backward]": "True"})
        made.compiled("0/0", 9.0)
        return made

    start = started(tmp_path, log("1"), log("2"))
    assert causes(start) == [[("cpp_runtime_thread_count", "2", "1")]]
    assert [row.lookup.graph for row in start.compiles[0].rows] == [None, "forward", "backward"]
    assert start.causes[0].seconds == 8.0  # both graphs


def test_a_graph_of_the_same_function_is_the_partner_before_a_nearer_one(tmp_path: Path) -> None:
    before = CacheLog()
    before.ca_run(enabled=False)
    before.looked_up("0/0", {**PARTS, "gm": GRAPH.replace("relu", "gelu")})
    before.compiled("0/0", 5.0, co_name="other")
    before.looked_up("1/0", {**PARTS, "gm": GRAPH.replace("relu", "tanh"), "more": "1"})
    before.compiled("1/0", 5.0, co_name="step")
    start = started(
        tmp_path, start_of({**PARTS, "gm": GRAPH.replace("relu", "gelu"), "new": "1"}), before
    )
    (row,) = start.compiles[0].rows
    assert row.partner is not None
    assert row.partner.asked.lookup.compile_id == "1/0"
    assert row.partner.is_same_function


def test_without_the_same_function_the_nearest_is_named_as_such(tmp_path: Path) -> None:
    start = started(
        tmp_path, start_of({**PARTS, "cpp_runtime_thread_count": "1"}), start_of(function="other")
    )
    (row,) = start.compiles[0].rows
    assert row.partner is not None
    assert not row.partner.is_same_function


def packed(
    parts: Mapping[str, str],
    folder: str,
    environment: Mapping[str, str] | None = None,
    metrics: Mapping[str, Any] | None = None,
    key: str = "f1",
    **more: Any,
) -> CacheLog:
    """A start whose cache lies in ``folder``, as our own traces have it."""
    import base64
    import zlib

    document = {
        "first": True, "gone": [], "folder": folder, "environment": environment or {},
        "changed": [[name, f"{name}{text}"[:60], text] for name, text in parts.items()],
    }  # fmt: skip
    log = CacheLog()
    log.ca_run(enabled=False, **more)
    written = base64.b85encode(zlib.compress(json.dumps(document).encode())).decode()
    log.artifact(
        "fx_graph_cache_miss", {"key": key, "ca_components": written}, **log.context("0/0")
    )
    log.compiled("0/0", 5.0, **(metrics or {}))
    return log


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (packed(PARTS, "/a"), packed(PARTS, "/b"), "folder"),
        (packed(PARTS, "/a", host="one"), packed(PARTS, "/a", host="two"), "machine"),
        # Nobody can make it hit by the folder's name.
        (packed(PARTS, "/a", host="one"), packed(PARTS, "/b", host="two"), "machine"),
        (packed(PARTS, "/a"), packed(PARTS, "/a"), "gone"),
    ],
    ids=["folder", "machine", "both", "gone"],
)
def test_the_same_key_and_still_a_miss(
    tmp_path: Path, before: CacheLog, after: CacheLog, why: str
) -> None:
    start = started(tmp_path, after, before)
    (cause,) = start.causes
    assert cause.same_key == why
    assert cause.differs == ()


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            (
                "/tmp/torchinductor_ann",
                {
                    "LOGNAME": "ann",
                    "USER": "ann",
                    "TORCHINDUCTOR_CACHE_DIR": "/tmp/torchinductor_ann",
                },
            ),
            (
                "/tmp/torchinductor_bob",
                {
                    "LOGNAME": "bob",
                    "USER": "bob",
                    "TORCHINDUCTOR_CACHE_DIR": "/tmp/torchinductor_bob",
                },
            ),
            "Set by LOGNAME: ann → bob.",
        ),
        (
            ("/tmp/torchinductor_ann", {"USER": "ann"}),
            ("/tmp/torchinductor_bob", {"USER": "bob"}),
            "Set by USER: ann → bob.",
        ),
        (
            ("/one/torchinductor_ann", {"TMPDIR": "/one", "USER": "ann"}),
            ("/two/torchinductor_ann", {"TMPDIR": "/two", "USER": "ann"}),
            "Set by TMPDIR: /one → /two.",
        ),
        (
            ("/tmp/torchinductor_ann", {"TORCHINDUCTOR_CACHE_DIR": "/tmp/torchinductor_ann"}),
            ("/c", {"TORCHINDUCTOR_CACHE_DIR": "/c", "HOME": "/b"}),
            "Set by TORCHINDUCTOR_CACHE_DIR: unset → /c.",
        ),
        (("/a/x", {"HOME": "/c"}), ("/b/x", {"HOME": "/d"}), None),
    ],
)
def test_what_set_the_folder(
    tmp_path: Path,
    before: tuple[str, dict[str, str]],
    after: tuple[str, dict[str, str]],
    told: str | None,
) -> None:
    start = started(tmp_path, packed(PARTS, *after), packed(PARTS, *before))
    assert words.set_by(start.causes[0].origin) == told


def test_operations_are_told_by_the_line_that_they_are_written_in(tmp_path: Path) -> None:
    def log(operation: str, signature: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        code = (
            "# File: /home/user/blocks.py:11 in forward, code: return F."
            f'{operation}(x)\nrelu: "f32[6]" = torch.{operation}(x)\n'
        )
        made.record("dynamo_output_graph", {"sizes": {}}, code, **made.context("0/0"))
        graph = GRAPH.replace("relu(x)", f"{operation}(x)").replace("self, x", signature)
        if operation == "relu":  # which is the last to need what another graph needs once more
            graph = graph.replace("    relu =", "    y = x + 1;  x = None\n    relu =")
        else:
            graph = graph.replace("    relu =", "    y = x + 1\n    relu =")
        made.looked_up("0/0", {**PARTS, "gm": graph})
        made.compiled("0/0", 5.0)
        return made

    # What the operations need as arguments, and how names are numbered, follows from them.
    start = started(tmp_path, log("tanh", "self, x, y"), log("relu", "self, x"))
    (told,) = caches_json.document(start)["causes"][0]["differs"]
    assert told["written"]["after"] == {
        "file": "/home/user/blocks.py", "line": 11, "code": "return F.tanh(x)",
    }  # fmt: skip
    assert told["written"]["before"]["code"] == "return F.relu(x)"
    (cause,) = start.causes
    assert words.cause_lines(cause)[:4] == [
        "Line 5 of the graph is the first that differs:",
        "- relu = torch.relu(x)",
        "+ relu = torch.tanh(x)",
        "Written at blocks.py:11 (`return F.tanh(x)`); it was `return F.relu(x)`.",
    ]


def test_a_captured_backward_is_at_the_call_of_backward(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run()
    log.ca_capture(0)
    log.looked_up("!0/0/0")
    stack = [
        ("/home/user/train.py", 11, "main", "loss.backward()"),
        ("/venv/torch/_tensor.py", 623, "backward", "torch.autograd.backward("),
        ("/venv/torch/autograd/graph.py", 979, "_engine_run_backward", ""),
        ("<eval_with_key>.7", 4, "forward", ""),
    ]
    log.compiled("!0/0/0", 5.0, stack, co_filename="<eval_with_key>.7", co_name="forward")
    (compiled,) = started(tmp_path, log).compiles
    assert compiled.location is not None
    assert (compiled.location.line, compiled.location.code) == (11, "loss.backward()")


def test_a_graph_without_code_is_saved_by_none(tmp_path: Path) -> None:
    # GIVEN starts in which inductor compiled one graph, and had nothing to compile for another
    def log() -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        for number, state in ((0, "hit"), (1, "miss")):
            parts = {**PARTS, "gm": f"graph {number}"}
            made.looked_up(f"{number}/0", parts, state=state, cache="aotautograd")
            made.compiled(f"{number}/0", 1.0)
        made.looked_up("0/0", state="hit")
        made.ca_end(1.0, 0, 0, aot_cache={"miss": 1, "hit": 1, "saved": 1})
        return made

    (cause,) = started(tmp_path, log(), log()).causes
    assert cause.same_key == "no code"
    assert words.fix(cause).startswith("none: each start traces it again")


def test_an_entry_for_other_sizes_and_one_that_was_never_saved(tmp_path: Path) -> None:
    def log(**raw: Any) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        made.looked_up("0/0", cache="aotautograd", **raw)
        made.compiled("0/0", 5.0)
        made.ca_end(1.0, 0, 0, aot_cache={"miss": 1})
        return made

    other_sizes = started(tmp_path / "1", log(cache_status_detailed="guard_miss"), log())
    assert [cause.same_key for cause in other_sizes.causes] == ["sizes"]
    (never_saved,) = started(tmp_path / "2", log(), log()).causes
    assert never_saved.same_key == "no backward"
    assert "torch.no_grad()" in words.fix(never_saved)
    trains = log()
    trains.looked_up("0/0", {**PARTS, "fx_kwargs[is_backward]": "True"})
    (warmed_up,) = started(tmp_path / "4", trains, log()).causes
    assert warmed_up.same_key == "no backward before"
    assert words.fix(warmed_up).startswith("run a backward in the earlier start")
    captured = log()
    captured.ca_capture(0)
    (saved_elsewhere,) = started(tmp_path / "3", log(), captured).causes
    assert saved_elsewhere.same_key == "not saved"
    assert "CA605" in words.fix(saved_elsewhere)


@pytest.mark.parametrize("is_first", [True, False])
def test_what_could_not_be_pickled_was_never_saved(tmp_path: Path, *, is_first: bool) -> None:
    def log() -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        failed = {"error": "cannot pickle '_thread.lock' object", "field": "runtime_metadata"}
        for names_failure in (is_first, not is_first):  # torch writes them in either order
            if names_failure:
                made.artifact("aotautograd_cache_pickle_failure", failed, **made.context("0/0"))
            else:
                made.looked_up("0/0", cache="aotautograd")
        made.compiled("0/0", 5.0)
        made.looked_up("1/0", {**PARTS, "gm": "another"}, cache="aotautograd")
        made.compiled("1/0", 5.0)
        made.ca_end(1.0, 0, 0, aot_cache={"miss": 2, "saved": 1})
        return made

    start = started(tmp_path, log(), log())
    found = {cause.same_key: cause for cause in start.causes}
    assert found.keys() == {"not pickled", "gone"}
    assert words.cause_lines(found["not pickled"])[0] == (
        "Pickling it failed: cannot pickle '_thread.lock' object (`runtime_metadata`)"
    )
    assert "FxGraphCache" in words.fix(found["not pickled"])


def test_misses_without_a_partner_and_bypasses_are_no_cause(tmp_path: Path) -> None:
    log = start_of()
    log.bypassed("1/0", "Unsupported call_function target f")
    log.bypassed("1/0", "Can't cache HigherOrderOperator: print", cache="fx_graph")
    log.compiled("1/0", 2.0)
    start = started(tmp_path, log)
    assert start.causes == ()
    assert [found.outcome for found in start.compiles] == ["compiled", "bypassed"]
    assert [found.compile_id for found in start.unexplained] == ["0/0"]


def ranks(folder: Path, *parts: Mapping[str, str]) -> Start:
    logs = []
    for rank, own in enumerate(parts):
        log = CacheLog(pid=4711 + rank, rank=rank)
        log.ca_run(enabled=False)
        log.looked_up("0/0", own, time_taken_ns=(rank + 1) * 10**9)
        log.compiled("0/0", 5.0, co_name="step")
        logs.append(log)
    run = ca_reports.load([run_folder(folder, *logs)], cache_keys=True)
    return examine(run, [], SourceFiles([]))


def test_ranks_that_compile_the_same_graph_each(tmp_path: Path) -> None:
    found = ranks(tmp_path, PARTS, PARTS, PARTS).ranks
    assert found is not None
    assert (found.processes, found.graphs, found.causes) == (3, 1, ())
    assert (found.seconds, found.spared) == (6.0, 3.0)


def test_ranks_whose_keys_differ(tmp_path: Path) -> None:
    device = "default_cuda_device_index"
    start = ranks(tmp_path, {**PARTS, device: "0"}, {**PARTS, device: "1"})
    assert start.ranks is not None
    assert start.ranks.graphs == 0
    (cause,) = start.ranks.causes
    assert [one.differing.name for one in cause.differs] == [device]
    (line,) = words.of_ranks(start)
    assert line.startswith(
        "Among the processes, 1 graph, 2.0 s: default_cuda_device_index: 0 → 1. Fix: show each rank"
    )


def test_one_process_is_compared_with_none(tmp_path: Path) -> None:
    assert ranks(tmp_path, PARTS).ranks is None


DEFAULT = {**PARTS, "inductor_config[triton.cudagraphs]": "False"}
MODES = {
    **DEFAULT,
    "inductor_config[max_autotune]": "True",
    "inductor_config[coordinate_descent_tuning]": "True",
}


def test_settings_that_a_mode_stands_for_are_one_cause(tmp_path: Path) -> None:
    (cause,) = started(tmp_path, start_of(MODES), start_of(DEFAULT)).causes
    assert words.cause_title(cause) == (
        'mode of torch.compile: "default" → "max-autotune-no-cudagraphs"'
    )
    assert [found.differing.name for found in cause.differs] == [
        "inductor_config[max_autotune]", "inductor_config[coordinate_descent_tuning]",
    ]  # fmt: skip
    assert words.fix(cause) == (
        'set `mode="default"` of `torch.compile`, as the earlier run had it; kept as it is now, '
        "the next start is warm again"
    )


def test_a_mode_and_another_setting_are_two_causes(tmp_path: Path) -> None:
    later = {**MODES, "cpp_runtime_thread_count": "1"}
    found = started(tmp_path, start_of(later), start_of(DEFAULT)).causes
    assert [cause.mode is not None for cause in found] == [False, True]


def test_a_setting_of_a_variable_is_no_mode(tmp_path: Path) -> None:
    later = {**MODES, "inductor_config[coordinate_descent_tuning]": "False"}
    (cause,) = started(tmp_path, start_of(later), start_of(DEFAULT)).causes
    assert words.cause_title(cause) == "inductor_config[max_autotune]: False → True"


def test_inputs_of_which_nothing_is_known_come_in_at_the_call(tmp_path: Path) -> None:
    log = start_of({**PARTS, "example_inputs[0]": OTHER_SIZE})
    stack = [frame("/home/user/train.py", 12, "main", "step(table)")]
    raw = {"schema_version": 1, "time": 1_700_000_001.0, "guards": [], "stack": stack}
    log.artifact("ca_guards", raw, **log.context("0/0"))
    (cause,) = started(tmp_path, log, start_of()).causes
    assert "Called at train.py:12 (`step(table)`)." in words.cause_lines(cause)
    # What a module has does not come in there.
    graph = GRAPH.replace("x)", "x : torch.nn.parameter.Parameter)", 1)
    other = start_of({**PARTS, "gm": graph, "example_inputs[0]": OTHER_SIZE})
    other.artifact("ca_guards", raw, **other.context("0/0"))
    (cause,) = started(tmp_path / "2", other, start_of({**PARTS, "gm": graph})).causes
    assert words.where(cause) is None
    source = "(0, [AttrSource(base=LocalSource(local_name='self'), member='v')])"
    other = start_of({**PARTS, "aot_config": source, "example_inputs[0]": OTHER_SIZE})
    other.artifact("ca_guards", raw, **other.context("0/0"))
    (cause,) = started(tmp_path / "3", other, start_of({**PARTS, "aot_config": source})).causes
    assert words.cause_title(cause).startswith("Other inputs: self.v: ")
    assert words.where(cause) is None


STATIC = {"assume_static_by_default": True, "automatic_dynamic_shapes": True}
DYNAMIC_PARTS = {
    **PARTS,
    "gm": GRAPH.replace("(self, x)", "(self, s77 : torch.SymInt, x)"),
    "example_inputs[0]": "('s77',)",
    "example_inputs[1]": SIZE.replace("[6, 4]", "[s77, 4]"),
}
OTHER_GRAPH = {**PARTS, "gm": GRAPH.replace("relu(x)", "tanh(x)")}


def with_settings(parts: Mapping[str, str], settings: Mapping[str, Any], file: Path) -> CacheLog:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.looked_up("0/0", parts)
    log.compiled("0/0", 5.0, co_filename=str(file), dynamo_config=json.dumps(settings))
    return log


@pytest.mark.parametrize(
    ("program", "title", "fix"),
    [
        (
            "import torch\ntorch._dynamo.config.assume_static_by_default = False\n",
            "dynamo_config[assume_static_by_default]: True → False",
            "set `torch._dynamo.config.assume_static_by_default` back to True at train.py:2",
        ),
        (
            "import torch._dynamo.config as how\nhow.assume_static_by_default = False\n",
            "dynamo_config[assume_static_by_default]: True → False",
            "set `torch._dynamo.config.assume_static_by_default` back to True at train.py:2",
        ),
        (
            'with torch._dynamo.config.patch("assume_static_by_default", False):\n    step(x)\n',
            "dynamo_config[assume_static_by_default]: True → False",
            "set `assume_static_by_default` back to True at train.py:1",
        ),
        (
            "import torch\nstep = torch.compile(step, dynamic=True)\n",
            "torch.compile: no dynamic= → dynamic=True",
            "no dynamic= at train.py:2, as the earlier run had it",
        ),
        (
            "step = compile_it(step)\n",
            "dynamo_config[assume_static_by_default]: True → False",
            "set `torch._dynamo.config.assume_static_by_default` back to True",
        ),
    ],
)
def test_a_setting_of_dynamos_is_the_cause_of_the_sizes_that_it_makes(
    tmp_path: Path, program: str, title: str, fix: str
) -> None:
    file = tmp_path / "train.py"
    file.write_text(program)
    now = with_settings(DYNAMIC_PARTS, {**STATIC, "assume_static_by_default": False}, file)
    before = with_settings(PARTS, STATIC, file)
    (cause,) = started(tmp_path, now, before, roots=(tmp_path,)).causes
    assert words.cause_title(cause) == title
    assert words.fix(cause) == f"{fix}; kept as it is now, the next start is warm again"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (OTHER_GRAPH, "capture_scalar_outputs"),
        (OTHER_GRAPH, "compiled_autograd"),
        (DYNAMIC_PARTS, "specialize_int"),
    ],
)
def test_settings_of_dynamos_are_the_cause_of_what_they_decide(
    tmp_path: Path, parts: Mapping[str, str], name: str
) -> None:
    file = tmp_path / "train.py"
    now, before = (
        with_settings(parts, {name: True}, file),
        with_settings(PARTS, {name: False}, file),
    )
    assert causes(started(tmp_path, now, before)) == [[(f"dynamo_config[{name}]", "False", "True")]]


@pytest.mark.parametrize(
    ("parts", "now", "before"),
    [
        # It decides sizes alone, and these are none.
        (OTHER_GRAPH, {"specialize_int": True}, {"specialize_int": False}),
        # It decides no graph.
        (OTHER_GRAPH, {"suppress_errors": True}, {"suppress_errors": False}),
        # A torch that has no such setting.
        (OTHER_GRAPH, {"trace_autograd_ops": True}, {}),
        (OTHER_GRAPH, {"trace_numpy": True}, {"trace_numpy": True}),
    ],
)
def test_settings_of_dynamos_that_decide_nothing_of_it_are_no_cause(
    tmp_path: Path, parts: Mapping[str, str], now: Mapping[str, Any], before: Mapping[str, Any]
) -> None:
    file = tmp_path / "train.py"
    start = started(tmp_path, with_settings(parts, now, file), with_settings(PARTS, before, file))
    assert [name for cause in causes(start) for name, _, _ in cause] == ["gm"]


def test_a_variable_that_set_dynamos_setting_is_unset(tmp_path: Path) -> None:
    def log(parts: Mapping[str, str], *, on: bool) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        packed = ShortenedKeys().shortened(
            json.dumps({"key": key_of(parts), "components": components(parts)}),
            lambda: Surroundings("/tmp/cache", {}),
        )
        assert packed is not None
        made.artifact("fx_graph_cache_miss", json.loads(packed), **made.context("0/0"))
        made.compiled("0/0", 5.0, dynamo_config=json.dumps({"capture_scalar_outputs": on}))
        return made

    name = "TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS"
    with mock.patch.dict("os.environ"):
        os.environ.pop(name, None)
        before = log(PARTS, on=False)
        os.environ[name] = "1"
        now = log(OTHER_GRAPH, on=True)
    (cause,) = started(tmp_path, now, before).causes
    assert words.fix(cause) == f"unset `{name}`, as the earlier run had it"


REMOTE = {"inductor_fx_remote_cache_miss_count": 1}
SERVER, PORT = "TORCHINDUCTOR_REDIS_URL", "TORCHINDUCTOR_REDIS_PORT"


@pytest.mark.parametrize(
    ("before", "after", "fix"),
    [
        (
            {PORT: "6379"},
            {PORT: "6380"},
            "set `TORCHINDUCTOR_REDIS_PORT=6379`, as the earlier run had it",
        ),
        ({}, {SERVER: "redis://b"}, f"unset `{SERVER}`, as the earlier run had it"),
        ({SERVER: "redis://a"}, {SERVER: "redis://a"}, None),
    ],
)
def test_a_remote_cache_that_both_starts_asked_is_why_and_no_folder(
    tmp_path: Path, before: Mapping[str, str], after: Mapping[str, str], fix: str | None
) -> None:
    start = started(
        tmp_path, packed(PARTS, "/b", after, REMOTE), packed(PARTS, "/a", before, REMOTE)
    )
    (cause,) = start.causes
    assert cause.same_key == "remote"
    told = "Same key, and still a miss: the remote cache did not have it"
    assert words.cause_title(cause) == told
    if fix is None:
        assert f"let all starts reach one server (`{SERVER}`)" in words.fix(cause)
    else:
        assert words.fix(cause) == fix


def test_a_remote_cache_that_one_start_alone_asked_explains_nothing(tmp_path: Path) -> None:
    start = started(tmp_path, packed(PARTS, "/b", metrics=REMOTE), packed(PARTS, "/a"))
    assert [cause.same_key for cause in start.causes] == ["folder"]


@pytest.mark.parametrize(
    ("name", "before", "after", "program", "title", "fix"),
    [
        (
            "deterministic_algorithms_settings",
            "(False, False, True)",
            "(False, False, False)",
            "torch.utils.deterministic.fill_uninitialized_memory = False\n",
            "deterministic_algorithms_settings[fill_uninitialized_memory]: True → False",
            "set `torch.utils.deterministic.fill_uninitialized_memory` back to True at train.py:1",
        ),
        (
            "deterministic_algorithms_settings",
            "(False, False, True)",
            "(True, False, True)",
            "import torch\ntorch.use_deterministic_algorithms(True)\n",
            "deterministic_algorithms_settings[enabled]: False → True",
            "set `torch.use_deterministic_algorithms` back to False at train.py:2",
        ),
        (
            "cuda_matmul_settings",
            "('none', True, True)",
            "('none', True, False)",
            "m = torch.backends.cuda.matmul\n"
            "m.allow_bf16_reduced_precision_reduction = False\n"
            "torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False\n",
            "cuda_matmul_settings[allow_bf16_reduced_precision_reduction]: True → False",
            "set `torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction` back to True "
            "at train.py:3",
        ),
        # Another torch's tuple, of another length.
        (
            "deterministic_algorithms_settings",
            "(False, False)",
            "(True, False)",
            "torch.use_deterministic_algorithms(True)\n",
            "deterministic_algorithms_settings: (False, False) → (True, False)",
            "set `torch.use_deterministic_algorithms` back to (False, False) at train.py:1",
        ),
    ],
)
def test_of_a_tuple_the_entry_that_differs_is_set_where_it_is(
    tmp_path: Path, name: str, before: str, after: str, program: str, title: str, fix: str
) -> None:
    file = tmp_path / "train.py"
    file.write_text(program)
    first, second = (with_settings({**PARTS, name: text}, {}, file) for text in (before, after))
    (cause,) = started(tmp_path, second, first, roots=(tmp_path,)).causes
    assert words.cause_title(cause) == title
    assert words.fix(cause) == f"{fix}; kept as it is now, the next start is warm again"


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ({"fx_cache": {"miss": 2, "write_error": 2}, "aot_cache": {"miss": 1}}, "not written"),
        # An older recording, whose backward was compiled, and nothing saved.
        ({"aot_cache": {"miss": 1}}, "not written"),
        ({"fx_cache": {"miss": 2}, "aot_cache": {"miss": 1, "saved": 1}}, "gone"),
    ],
)
def test_what_the_earlier_start_could_not_write(
    tmp_path: Path, end: Mapping[str, Any], why: str
) -> None:
    def log() -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        made.looked_up("0/0", {**PARTS, "gm": "joint"}, cache="aotautograd")
        made.looked_up("0/0")
        made.looked_up("0/0", {**PARTS, "fx_kwargs[is_backward]": "True", "gm": "backward"})
        made.compiled("0/0", 5.0)
        made.ca_end(1.0, 0, 0, **end)
        return made

    (cause,) = started(tmp_path, log(), log()).causes
    assert cause.same_key == why
    if why == "not written":
        assert "disk space" in words.fix(cause)
        assert words.cause_lines(cause)[0].startswith("Writing to the folder of the caches")


def of_inputs(*inputs: tuple[str, str]) -> CacheLog:
    """Make a look-up of AOTAutogradCache for a graph with these inputs, by name and size."""
    made = CacheLog()
    made.ca_run(enabled=False)
    texts = [SIZE.replace("[6, 4]", size) for _, size in inputs]
    sources = ", ".join(f"LocalSource(local_name='{name}', is_input=True)" for name, _ in inputs)
    values = {f"example_inputs[{at}]": text for at, text in enumerate(texts)}
    values["aot_config"] = f"(0, True, [{sources}], [0, 1], True)"
    values["gm"] = GRAPH.replace("(self, x)", f"(self, {', '.join('xyz'[: len(inputs)])})")
    listed = [
        f"[{hashlib.sha256(text.encode()).hexdigest()}] {name}: {text}"
        for name, text in values.items()
    ]
    made.looked_up("0/0", values, cache="aotautograd", components=listed)
    made.compiled("0/0", 5.0, co_name="step")
    return made


def test_an_input_that_only_one_graph_has_is_named(tmp_path: Path) -> None:
    before = of_inputs(("up", "[8, 8]"), ("down", "[8, 8]"), ("x", "[4, 8]"))
    after = of_inputs(("up", "[8, 8]"), ("x", "[4, 8]"))
    (cause,) = started(tmp_path / "1", after, before).causes
    told = "Other inputs: down: size [8, 8], float32 → absent"
    assert words.cause_title(cause) == told
    assert words.fix(cause).startswith("none, if it was meant to differ")
    (back,) = started(tmp_path / "2", before, after).causes
    assert words.cause_title(back) == "Other inputs: down: absent → size [8, 8], float32"


def test_an_input_of_another_name_is_called_as_before(tmp_path: Path) -> None:
    (cause,) = started(tmp_path, of_inputs(("ids", "[4, 8]")), of_inputs(("x", "[4, 8]"))).causes
    assert words.cause_title(cause) == "Another name of an input: x → ids"
    assert words.fix(cause).startswith("call it `x` again")


def test_of_what_no_one_can_read_nothing_is_said_but_that_it_differs(tmp_path: Path) -> None:
    before = start_of({**PARTS, "aot_config": "(0, True, None)"})
    after = start_of({**PARTS, "aot_config": "(0, False, None)"})
    (cause,) = started(tmp_path, after, before).causes
    assert words.cause_title(cause) == "aot_config differs"
    assert words.fix(cause).startswith("none, if it was meant to differ")


def test_a_folder_that_the_program_names_is_named_there(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text('os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/c/" + job\n')
    name = "TORCHINDUCTOR_CACHE_DIR"
    metrics = {"co_filename": str(tmp_path / "train.py")}
    now, before = (packed(PARTS, at, {name: at}, metrics) for at in ("/c/2", "/c/1"))
    (cause,) = started(tmp_path / "runs", now, before, roots=(tmp_path,)).causes
    assert cause.same_key == "folder"
    assert words.fix(cause) == f"set `{name}=/c/1` at train.py:1, in every start"


def of_cache_file(tmp_path: Path, *, earlier: bool = False, **used: Any) -> list[str]:
    """What is said of a start in another folder with a file of `--cache`."""
    before, after = packed(PARTS, "/one"), packed(PARTS, "/two")
    if earlier:
        wrote: dict[str, Any] = {"loaded": {}, "problem": None, "saved_bytes": 9, "new": 1}
        before.artifact("ca_cache_file", {"file": "/w/first.cache", **wrote})
    after.artifact("ca_cache_file", {"file": "/w/given.cache", **used})
    (cause,) = started(tmp_path, after, before).causes
    return [words.cause_title(cause), *words.cause_lines(cause)]


def test_a_file_that_did_not_hold_it_comes_before_the_folder(tmp_path: Path) -> None:
    loaded = {"inductor": ["fother"]}
    wrote: dict[str, Any] = {"loaded": loaded, "problem": None, "saved_bytes": 9, "new": 1}
    title, held, fix = of_cache_file(tmp_path / "1", **wrote)
    assert title == "Same key, and still a miss: the file of `--cache` did not hold it"
    assert held == "/w/given.cache held 1 entry, and none of this key."
    kept = "this start has put its graphs there: the next one with that file is warm"
    assert fix == f"Fix: {kept}"
    *_, fix = of_cache_file(tmp_path / "2", earlier=True, **wrote)
    assert fix == f"Fix: give it the file that the earlier start wrote, /w/first.cache; {kept}"


def test_a_file_that_was_not_used_comes_before_the_folder(tmp_path: Path) -> None:
    title, problem, fix = of_cache_file(tmp_path, loaded={}, problem="it is damaged")
    assert title == "Same key, and still a miss: the file of `--cache` was not used"
    assert problem == "/w/given.cache: it is damaged."
    assert fix == "Fix: give it a file that a start of this program wrote"


def test_a_file_that_held_it_is_not_why_it_missed(tmp_path: Path) -> None:
    title, *_ = of_cache_file(tmp_path, loaded={"inductor": ["f1"]}, problem=None)
    assert title == "Same key, and still a miss: the cache was in another folder"


def test_threads_that_nothing_sets_are_as_many_as_the_cores(tmp_path: Path) -> None:
    fewer = packed({**PARTS, "cpp_runtime_thread_count": "1"}, "/one", key="f2")
    start = started(tmp_path, fewer, packed(PARTS, "/one"))
    (cause,) = start.causes
    _, where, fix = words.cause_lines(cause)
    assert where.startswith("Set by no variable and no line that was found: as many as the cores")
    assert fix == (
        "Fix: `OMP_NUM_THREADS=2` for every start, as the earlier run had it, or as many cores"
    )


BUNDLE = """\
import torch

def main():
    torch.compiler.load_cache_artifacts(content)
    step(x)
    content = torch.compiler.save_cache_artifacts()
    step(y)
"""


@pytest.mark.parametrize(
    ("line", "program", "kind", "told"),
    [
        (7, BUNDLE, "saved before", "Saved at train.py:6"),
        # It was compiled before: why the file lacks it is not known.
        (5, BUNDLE, "own file", "Loaded at train.py:4"),
        (5, BUNDLE.replace("load_cache_artifacts", "other"), "gone", None),
    ],
)
def test_a_file_of_the_programs_own_did_not_bring_it(
    tmp_path: Path, line: int, program: str, kind: str, told: str | None
) -> None:
    file = tmp_path / "train.py"
    file.write_text(program)
    log = CacheLog()
    log.ca_run(enabled=False, cwd=str(tmp_path), argv=["train.py"])
    log.looked_up("0/0")
    log.compiled("0/0", 5.0, [(str(file), line, "main", "step(y)")], co_filename=str(file))
    (cause,) = started(tmp_path, log, start_of(), roots=(tmp_path,)).causes
    assert cause.same_key == kind
    where = words.where(cause)
    assert where is None if told is None else (where or "").startswith(told)
    assert "ca run --cache FILE" in words.fix(cause)


@pytest.mark.parametrize("is_outside", [False, True])
def test_a_folder_of_its_own_is_told_by_the_line_that_makes_it(
    tmp_path: Path, *, is_outside: bool
) -> None:
    file = tmp_path / "train.py"
    file.write_text("import torch\nwith fresh_cache():\n    step(x)\n")

    def log(folder: str) -> CacheLog:
        # Torch has its folder in the environment from the first look-up on.
        variable = {"TORCHINDUCTOR_CACHE_DIR": folder}
        made = CacheLog()
        made.ca_run(enabled=False, environment=variable if is_outside else {})
        keys = ShortenedKeys()
        raw = {"cache_state": "miss", "key": key_of(PARTS), "components": components(PARTS)}
        with mock.patch.dict(os.environ, variable):
            short = keys.shortened(json.dumps(raw), lambda: Surroundings(folder, {}))
        assert short is not None
        made.artifact("fx_graph_cache_miss", json.loads(short), **made.context("0/0"))
        made.compiled("0/0", 5.0, co_filename=str(file))
        return made

    (cause,) = started(tmp_path, log("/tmp/b"), log("/tmp/a"), roots=(tmp_path,)).causes
    assert cause.same_key == "folder"
    told = words.where(cause) or ""
    if is_outside:
        assert told.startswith("Set by TORCHINDUCTOR_CACHE_DIR")
    else:
        assert told == "Set at train.py:2 (`with fresh_cache():`)."
        assert words.fix(cause) == "leave out what opens an empty cache folder at train.py:2"
