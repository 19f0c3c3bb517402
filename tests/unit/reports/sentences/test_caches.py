"""Words for a start that was not warm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.output import caches_json
from ca_reports.sentences import caches as words
from tests.unit.logwriter import frame
from tests.unit.reports.costs.caches.made import (
    GRAPH,
    PARTS,
    CacheLog,
    key_of,
    start_of,
    started,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ca_reports.costs.caches.starts import Start


FAILED = "0/0: tensor 'x' size mismatch at index 0. expected 6, actual 9"


def cold(folder: Path, changed: Mapping[str, str], **more: Any) -> Start:
    return started(folder, start_of({**PARTS, **changed}, **more), start_of())


@pytest.mark.parametrize(
    ("changed", "title", "lines"),
    [
        (
            {"cpp_runtime_thread_count": "1"},
            "cpp_runtime_thread_count: 2 → 1",
            [
                "The number of threads that CPU kernels are compiled for.",
                "Fix: `OMP_NUM_THREADS=2` for every start, as the earlier run had it",
            ],
        ),
        (
            {"inductor_config[max_autotune]": "True"},
            "inductor_config[max_autotune]: False → True",
            [
                "Fix: set `torch._inductor.config.max_autotune` back to False; kept as it is now, "
                "the next start is warm again"
            ],
        ),
        (
            {"gm": GRAPH.replace("relu(x)", "tanh(x)")},
            "Another graph",
            [
                "Line 4 of the graph is the first that differs:",
                "- relu = torch.relu(x)",
                "+ relu = torch.tanh(x)",
                "Fix: none, if it was meant to differ: its next start finds what this one compiled",
            ],
        ),
        (
            {"torch_version": "\ufffdN"},
            "torch_version: another build of 2.13.0",
            [
                "The build of torch: its version, and its own source files.",
                "Fix: install the same build of torch in both places",
            ],
        ),
    ],
)
def test_what_differs_what_it_means_and_what_to_do(
    tmp_path: Path, changed: Mapping[str, str], title: str, lines: list[str]
) -> None:
    (cause,) = cold(tmp_path, changed).causes
    assert words.cause_title(cause) == title
    assert words.cause_lines(cause) == lines
    assert words.size_of(cause) == "1 graph, 4.0 s"


def test_of_long_lines_the_place_where_they_part_is_shown(tmp_path: Path) -> None:
    long = GRAPH.replace("(self, x)", f"(self, {', '.join(f'p_{n}' for n in range(40))}, {{}})")
    before, after = ({**PARTS, "gm": long.format(name)} for name in ("x", "s77 : torch.SymInt"))
    (cause,) = started(tmp_path, start_of(after), start_of(before)).causes
    assert words.cause_lines(cause)[1:3] == [
        "- …p_35, p_36, p_37, p_38, p_39, x):",
        "+ …p_35, p_36, p_37, p_38, p_39, s77 : torch.SymInt):",
    ]


def test_headlines_say_what_was_lost_and_saved(tmp_path: Path) -> None:
    mixed = start_of(state="hit")
    mixed.looked_up("1/0", {**PARTS, "cpp_runtime_thread_count": "1"})
    mixed.compiled("1/0", 5.0)
    logs = {"cold": start_of(), "warm": start_of(state="hit"), "mixed": mixed, "none": CacheLog()}
    logs["none"].ca_run()
    told = {
        name: words.headline(started(tmp_path / name, log, start_of()))
        for name, log in logs.items()
    }
    assert told == {
        "cold": "Cold: the graph was compiled (4.0 s).",
        "warm": "Warm: the graph came from the cache, which saved 9.0 s.",
        "mixed": "Partly warm: 1 of 2 graphs was compiled (4.0 s); 1 came from the cache, which "
        "saved 9.0 s.",
        "none": "No look-up of a cache was recorded.",
    }
    for number, told_of in ((2, "both graphs"), (3, "all 3 graphs")):
        log = CacheLog()
        log.ca_run(enabled=False)
        for number_of_one in range(number):
            log.looked_up(f"{number_of_one}/0", cache="aotautograd", state="hit")
            log.compiled(f"{number_of_one}/0", 5.0)
        start = started(tmp_path / str(number), log)
        assert words.headline(start) == f"Warm: {told_of} came from the cache."


def test_caches_that_are_off_are_said_where_inductor_compiled(tmp_path: Path) -> None:
    def log(*, ended: bool = True, **more: Any) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False, environment=more.pop("environment", {}))
        made.compiled("0/0", 5.0, inductor_cumulative_compile_time_us=2_000_000, **more)
        if ended:
            made.ca_end(1.0, 0, 0)
        return made

    # GIVEN a process that asked no cache, by torch's own counters
    start = started(tmp_path / "1", log(backend_compile_time_s=3.0), start_of())
    assert words.headline(start) == "Cold: the graph was compiled (3.0 s)."
    assert [words.states(start.compiles[0], cache) for cache in words.CACHES] == ["off", "off", "–"]
    (told,) = words.bypasses(start)
    assert told.startswith(
        "AOTAutograd's and inductor's caches were not asked for 1 graph: they are turned off. Fix: "
        "unset `TORCHINDUCTOR_FORCE_DISABLE_CACHES`"
    )
    assert not start.unexplained
    # THEN what turned them off is named: a line, or a variable
    file = tmp_path / "train.py"
    file.write_text("import torch.compiler.config as c\nc.force_disable_caches = True\n")
    in_code = log(co_filename=str(file))
    (told,) = words.bypasses(started(tmp_path / "2", in_code, start_of(), roots=(tmp_path,)))
    assert "Set at train.py:2 (`c.force_disable_caches = True`). Fix: leave them on" in told
    by_variable = log(environment={"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"})
    start = started(tmp_path / "3", by_variable, log(environment={"HOME": "/a"}))
    (told,) = words.bypasses(start)
    assert told.endswith("Set by TORCHINDUCTOR_FORCE_DISABLE_CACHES: unset → 1. Fix: unset it.")
    assert words.bypasses(start, since=[start.run]) == []
    # A log that does not end may lack look-ups.
    told = words.headline(started(tmp_path / "4", log(ended=False), start_of()))
    assert told.startswith("No look-up of a cache was recorded, though inductor compiled")
    other = CacheLog()
    other.ca_run(enabled=False)
    other.compiled("0/0", 5.0)
    other.ca_end(1.0, 0, 0)
    start = started(tmp_path / "5", other, start_of())
    assert words.headline(start) == "No look-up of a cache was recorded."


def test_a_cache_that_was_not_asked_makes_no_warm_start(tmp_path: Path) -> None:
    def log(**variables: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False, environment=variables)
        made.looked_up("0/0", state="hit", time_saved_ns=9 * 10**9)
        made.compiled("0/0", 5.0, aot_autograd_cumulative_compile_time_us=700_000,
                      backend_compile_time_s=1.0)  # fmt: skip
        return made

    # GIVEN a graph that AOTAutogradCache was not asked for: it is traced again
    start = started(tmp_path / "1", log(TORCHINDUCTOR_AUTOGRAD_CACHE="0"), log(HOME="/a"))
    assert words.headline(start) == (
        "Partly warm: the graph was traced again (0.70 s), its code from the cache."
    )
    assert words.states(start.compiles[0], "aot") == "off"
    assert words.bypasses(start) == [
        "AOTAutograd's cache was not asked for 1 graph: it is turned off. Set by "
        "TORCHINDUCTOR_AUTOGRAD_CACHE: unset → 0. Fix: unset it."
    ]
    # Off in both starts, and off in code.
    off = log(TORCHINDUCTOR_AUTOGRAD_CACHE="0")
    (told,) = words.bypasses(started(tmp_path / "2", off, off))
    assert "Set by TORCHINDUCTOR_AUTOGRAD_CACHE=0." in told
    file = tmp_path / "train.py"
    file.write_text("import torch._functorch.config as c\nc.enable_autograd_cache = False\n")
    in_code = log()
    in_code.compiled("1/0", 5.0, co_filename=str(file))
    (told,) = words.bypasses(started(tmp_path / "3", in_code, log(), roots=(tmp_path,)))
    assert told.endswith(
        "Set at train.py:2 (`c.enable_autograd_cache = False`). Fix: leave it on: "
        "what changes has another key, so nothing old is used."
    )
    # Nothing known of who did.
    (told,) = words.bypasses(started(tmp_path / "4", log(), log()))
    assert "enable_autograd_cache` on" in told
    assert told.endswith("(`ca rule CA625`).")


def test_a_bypass_is_told_with_its_reason_once(tmp_path: Path) -> None:
    log = start_of()
    log.bypassed("0/0", "Unsupported call_function\ntarget f")
    log.bypassed("1/0", "Unsupported call_function\ntarget f")
    start = started(tmp_path, log)
    assert words.bypasses(start) == [
        "AOTAutograd's cache was not asked for 2 graphs: Unsupported call_function target f."
    ]
    assert words.states(start.compiles[1], "aot") == "bypass"
    assert words.states(start.compiles[0], "dynamo") == "–"


def test_of_a_manager_entered_in_the_graph_its_public_name_is_told(tmp_path: Path) -> None:
    log = start_of()
    log.bypassed(
        "0/0",
        "Unsupported call_function target <function _backend_from_string at 0x7f1d>.\n"
        " Function module: torch.nn.attention,\nFunction name: _backend_from_string",
    )
    (told,) = words.bypasses(started(tmp_path, log))
    assert told.endswith(
        "Fix: enter `torch.nn.attention.sdpa_kernel` around each call of the compiled function, "
        "and not in it: it then holds for all that the function calls (`ca rule CA621`)."
    )


def test_states_are_counted() -> None:
    class Found:
        def __init__(self, *states: str) -> None:
            self.rows = [type("R", (), {"lookup": type("L", (), {"cache": "fx", "state": one})})
                         for one in states]  # fmt: skip

    several: Any = Found("hit", "hit")
    mixed: Any = Found("hit", "miss", "miss")
    assert words.states(several, "fx") == "2 hits"
    assert words.states(mixed, "fx") == "1 hit, 2 misses"


def test_without_an_earlier_run_it_says_how_to_name_one(tmp_path: Path) -> None:
    start = started(tmp_path, start_of())
    assert words.compared(start) == (
        "No earlier run of this command in ca-runs: name one to learn why graphs missed."
    )
    assert words.unexplained(start) is None


def test_what_a_file_gave_and_got(tmp_path: Path) -> None:
    log = start_of(state="hit")
    log.looked_up("1/0", {**PARTS, "cpp_runtime_thread_count": "1"})
    log.compiled("1/0", 5.0, co_name="evaluate")
    log.artifact(
        "ca_cache_file",
        {
            "file": "/home/user/warm.cache", "loaded": {"inductor": [key_of(PARTS)], "pgo": ["ca"]},
            "load_seconds": 0.1, "problem": None, "saved_bytes": 2_500_000, "new": 1,
            "gone": 2,
        },
    )  # fmt: skip
    assert words.of_file(started(tmp_path, log)) == [
        "Cache warm.cache: 1 of 2 graphs came from it (9.0 s saved); compiled: evaluate train.py:7 "
        "(4.0 s).",
        "Cache warm.cache: wrote 2.5 MB, 1 new entry; 2 long unused entries left out.",
    ]


def test_a_function_of_dynamos_cache_came_from_the_file_too(tmp_path: Path) -> None:
    def told(name: str, loaded: Mapping[str, list[str]]) -> str:
        log = CacheLog()
        log.ca_run(enabled=False)
        # As torch 2.13.0 writes it: of a function as a whole, no key.
        log.artifact(
            "fx_graph_bundled_cache_hit", {"triton_bundler_meta": ""}, **log.context("0/0")
        )
        log.compiled("0/0", 0.1)
        log.artifact("ca_cache_file", {"file": "/w", "loaded": loaded, "problem": None})
        (line,) = words.of_file(started(tmp_path / name, log))
        return line

    graphs = {"inductor": ["f1"]}
    assert (
        told("with", {**graphs, "precompile": ["99cb"]}) == "Cache /w: 1 of 1 graph came from it."
    )
    assert told("without", graphs) == "Cache /w: 0 of 1 graph came from it."


def test_what_a_remote_cache_had(tmp_path: Path) -> None:
    def start(name: str, **counts: int) -> Start:
        log = CacheLog()
        log.ca_run(enabled=False)
        log.looked_up("0/0", state="hit")
        metrics: dict[str, Any] = {f"{key}_count": number for key, number in counts.items()}
        log.compiled("0/0", 5.0, **metrics)
        return started(tmp_path / name, log)

    # The local cache is asked first; as torch counts it.
    remote = start("1", inductor_fx_remote_cache_hit=1, inductor_fx_local_cache_miss=1)
    assert words.of_remote(remote) == "The graph came from a remote cache."
    assert remote.from_remote == 1
    assert remote.compiles[0].store("fx") == "remote"
    asked = start("2", inductor_fx_remote_cache_miss=1, inductor_fx_local_cache_miss=1)
    assert words.of_remote(asked) == "A remote cache was asked for 1 graph, and did not have it."
    local = start("3", inductor_fx_local_cache_hit=1)
    assert words.of_remote(local) is None
    assert local.compiles[0].store("fx") == "local"
    assert local.compiles[0].store("aot") is None


def test_what_pgo_would_have_saved(tmp_path: Path) -> None:
    def log(*, profiled: bool, knows: str = "") -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        if profiled:
            made.artifact("get_local_code_state", f"train.py:7:step:\n{knows}", "string")
        for compile_id, size in (("0/0", 6), ("0/1", "s77"), ("0/2", "s77")):
            made.compiled(compile_id, 2.5, graphs=0, recompile_reason=FAILED if size != 6 else None)
            made.record(
                "dynamo_output_graph", {"sizes": {"l_x_ ()": [size, 4]}}, "x",
                **made.context(compile_id),
            )  # fmt: skip
        return made

    told = words.of_profile(started(tmp_path / "1", log(profiled=False)))
    assert told is not None
    assert told.startswith("1 recompile (2.5 s) only made a size dynamic")
    assert told.endswith("""Without a profile: `TORCH_COMPILE_DYNAMIC_SOURCES="L['x']"`.""")
    assert words.of_profile(started(tmp_path / "2", log(profiled=True))) is None
    # PGO has it, of a function that it does not know again.
    log_of_closure = log(profiled=True, knows="""TORCH_COMPILE_DYNAMIC_SOURCES="L['x']"\n""")
    told = words.of_profile(started(tmp_path / "3", log_of_closure))
    assert told is not None
    assert "PGO's profile has it, and did not know the function again" in told
    assert told.endswith("""Fix: `TORCH_COMPILE_DYNAMIC_SOURCES="L['x']"`.""")


def dynamic_log(**compiled: Any) -> CacheLog:
    """A function of one size, which a second one made dynamic."""
    made = CacheLog()
    made.ca_run(enabled=False)
    for compile_id, size in (("0/0", 6), ("0/1", "s77")):
        reason = FAILED if size != 6 else None
        made.compiled(compile_id, 2.5, graphs=0, recompile_reason=reason, **compiled)
        made.record(
            "dynamo_output_graph", {"sizes": {"l_x_": [size, 4]}}, "x", **made.context(compile_id)
        )
    return made


def test_pgo_does_not_know_torchs_wrapper_again(tmp_path: Path) -> None:
    wrapper = "/venv/torch/_dynamo/external_utils.py"
    told = words.of_profile(started(tmp_path, dynamic_log(co_filename=wrapper, co_name="inner")))
    assert told is not None
    assert "PGO would not know it again" in told
    assert "TORCH_COMPILE_JOB_ID" not in told


def test_a_recompile_is_as_at_each_start_only_where_it_was_there_before(tmp_path: Path) -> None:
    again = words.of_profile(started(tmp_path / "1", dynamic_log(), dynamic_log()))
    assert again is not None
    assert again.startswith("1 recompile (2.5 s) only made a size dynamic, as at each start. ")
    new = words.of_profile(started(tmp_path / "2", dynamic_log(), start_of()))
    assert new is not None
    assert new.startswith("1 recompile (2.5 s) only made a size dynamic. ")


def test_a_profile_that_is_off_or_kept(tmp_path: Path) -> None:
    def log(*, keeps: bool) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        if keeps:
            made.artifact("put_local_code_state", "train.py:7:step:", "string")
        config = f'{{"automatic_dynamic_local_pgo": {str(keeps).lower()}}}'
        for compile_id, size in (("0/0", 6), ("0/1", "s77")):
            reason = FAILED if size != 6 else None
            made.compiled(compile_id, 2.5, graphs=0, recompile_reason=reason, dynamo_config=config)
            made.record(
                "dynamo_output_graph", {"sizes": {"l_x_": [size, 4]}}, "x",
                **made.context(compile_id),
            )  # fmt: skip
        return made

    told = words.of_profile(started(tmp_path / "off", log(keeps=False)))
    assert told is not None
    assert "PGO, which keeps the sizes that vary for the next start, is turned off." in told
    assert "leave `torch._dynamo.config.automatic_dynamic_local_pgo` on" in told
    told = words.of_profile(started(tmp_path / "kept", log(keeps=True)))
    assert told is not None
    assert "set `TORCH_COMPILE_JOB_ID" not in told
    assert "the next start of the same `TORCH_COMPILE_JOB_ID` knows it" in told


def test_dynamic_sources_go_by_the_name_alone(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    compiles = (("0/0", 7, 6, None), ("1/0", 40, 6, None), ("0/1", 7, "s77", FAILED))
    for compile_id, line, size, reason in compiles:
        log.compiled(compile_id, 2.5, graphs=0, recompile_reason=reason, co_firstlineno=line)
        log.record(
            "dynamo_output_graph", {"sizes": {"l_x_": [size, 4]}}, "x", **log.context(compile_id)
        )
    told = words.of_profile(started(tmp_path, log))
    assert told is not None
    assert told.endswith(
        "what is compiled at train.py:40 has such an input, too, and is compiled once more."
    )


def test_a_file_that_could_not_be_used(tmp_path: Path) -> None:
    log = start_of()
    log.artifact("ca_cache_file", {"file": "/tmp/w", "loaded": {}, "problem": "it is damaged"})
    assert words.of_file(started(tmp_path, log)) == ["Cache /tmp/w: not used: it is damaged."]
    assert words.of_file(started(tmp_path / "2", start_of())) == []


def test_what_keeps_a_graph_out_has_its_line_or_its_variable(tmp_path: Path) -> None:
    # GIVEN a custom Function in the graph
    log = CacheLog()
    log.ca_run(enabled=False)
    log.bypassed(
        "0/0",
        "Unsupported call_function target autograd_function_apply.\n Function module: "
        "torch.ops.higher_order,\nFunction name: autograd_function_apply",
    )
    context = log.context("0/0")
    code = (
        "class GraphModule:\n"
        "    # File: /home/user/train.py:21 in forward, code: return Scale.apply(self.a(x))\n"
        '    autograd_function_apply_1: "f32[3]" = torch.ops.higher_order.f(x)\n'
    )
    log.record("dynamo_output_graph", {"sizes": {}}, code, **context)
    log.compiled("0/0", 5.0, graphs=0)
    (told,) = words.bypasses(started(tmp_path / "1", log))
    assert " Written at train.py:21 (`return Scale.apply(self.a(x))`). Fix: set " in told

    # GIVEN freezing by the environment, of which both caches say something
    frozen = CacheLog()
    frozen.ca_run(enabled=False, environment={"TORCHINDUCTOR_FREEZING": "1"})
    frozen.bypassed("0/0", "Cannot cache a graph with freezing enabled")
    frozen.bypassed("0/0", "mkldnn tensors unpickleable", cache="fx_graph")
    frozen.compiled("0/0", 5.0)
    (told,) = words.bypasses(started(tmp_path / "2", frozen, frozen))
    assert told.startswith("AOTAutograd's and inductor's caches were not asked for 1 graph: ")
    assert " Set by TORCHINDUCTOR_FREEZING=1. Fix: leave " in told


def test_a_graph_of_code_without_a_file_is_told_by_its_call(tmp_path: Path) -> None:
    def log(number: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        made.looked_up("0/0", {**PARTS, "gm": GRAPH.replace("relu(x)", f"mul(x, {number})")})
        stack = [frame("/home/user/train.py", 20, "main", "fused(x)")]
        made.artifact("ca_guards", {"stack": stack}, **made.context("0/0"))
        made.compiled("0/0", 5.0, co_filename="<string>")
        return made

    (cause,) = started(tmp_path, log("0.25"), log("0.5")).causes
    assert words.where(cause) == "Called at train.py:20 (`fused(x)`)."


def test_triton_kernels_that_came_with_graphs_or_were_tuned(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    metadata = (
        "TritonBundlerMetadata(cached_kernel_names=['triton_poi_fused_0', 'triton_red_1'], "
        "statically_launched_kernel_names=[])"
    )
    log.looked_up("0/0", cache="aotautograd", state="hit")
    log.looked_up("0/0", state="hit", triton_bundler_meta=metadata)
    kernels = {
        "triton_red_1": {"autotune_cache_state": "hit", "best_config": {"XBLOCK": 8}},
        "triton_poi_2": {"autotune_cache_state": "only 1 config", "compile_time_us": 1_500_000},
        "triton_red_3": {"autotune_cache_state": "miss", "num_configs": 12},
        "triton_red_4": {"autotune_cache_state": "miss", "num_configs": 3},
        "triton_tem_5": {"compile_time_us": 20},
        "damaged": 7,
    }
    log.artifact("triton_kernel_info", kernels, **log.context("0/0"))
    log.compiled("0/0", 5.0)
    start = started(tmp_path, log)
    assert words.of_kernels(start) == (
        "2 Triton kernels came with the graphs from the cache. The best configuration of 1 Triton "
        "kernel was in the cache of autotuning. 2 Triton kernels were tuned among 15 "
        "configurations, as the cache of autotuning did not have them: triton_red_3, triton_red_4."
    )
    found = caches_json.document(start)
    assert found["summary"]["bundled_kernels"] == 2
    assert found["summary"]["tuned_kernels"] == {"hit": 1, "miss": 2, "single": 1, "off": 0}
    told = {one["name"]: (one["tuning"], one["configurations"], one["seconds"])
            for one in found["kernels"]}  # fmt: skip
    assert told["triton_poi_2"] == ("single", None, 1.5)
    assert told["damaged"] == (None, None, None)
    assert words.of_kernels(started(tmp_path / "cpu", start_of())) is None


def test_arguments_of_the_command_that_differ_are_said(tmp_path: Path) -> None:
    def log(*argv: str) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False, argv=list(argv))
        made.looked_up("0/0")
        made.compiled("0/0", 5.0)
        return made

    def told(name: str, now: CacheLog, then: CacheLog) -> str:
        return words.compared(started(tmp_path / name, now, then)).partition("before0")[2]

    first = log("jobs/train.py", "32")
    meant = "; where these decide what is compiled, only a start with those of before is warm."
    other = log("/other/train.py", "48")
    assert told("1", other, first) == f". The arguments differ: 32 → 48{meant}"
    assert told("2", log("train.py"), first) == f". The arguments differ: 32 → no arguments{meant}"
    assert told("3", log("train.py", "32"), first) == "."
    # Of another program nothing is to be learned from it.
    assert told("4", log("evaluate.py", "48"), first) == "."


@pytest.mark.parametrize(
    ("changed", "program", "fix"),
    [
        (
            {"cuda_matmul_settings": "('tf32', True, True)"},
            'torch.set_float32_matmul_precision(os.environ["PRECISION"])',
            'set `torch.set_float32_matmul_precision` back to "highest" at train.py:1',
        ),
        (
            {"inductor_config[max_autotune]": "True"},
            'h = torch.compile(g, options={"max_autotune": True})',
            'set `"max_autotune"` back to False at train.py:1',
        ),
        (
            {"inductor_config[max_autotune]": "True"},
            "with config.patch(max_autotune=True): f(x)",
            "set `max_autotune` back to False at train.py:1",
        ),
        (
            {"grad_enabled": "False"},
            "with torch.no_grad(): f(x)",
            "leave `torch.no_grad` out at train.py:1, as the earlier run did",
        ),
        (
            {"autocast_state[cpu]": None},
            'with torch.autocast("cpu", enabled=fast): f(x)',
            "enter `torch.autocast` at train.py:1, as the earlier run did",
        ),
    ],
)
def test_a_fix_is_in_the_words_of_the_line_that_it_names(
    tmp_path: Path, changed: Mapping[str, str | None], program: str, fix: str
) -> None:
    file = tmp_path / "train.py"
    file.write_text(program)
    before = {
        **PARTS,
        "cuda_matmul_settings": "('ieee', True, True)",
        "grad_enabled": "True",
        "autocast_state[cpu]": "torch.bfloat16",
    }
    after = {name: text for name, text in {**before, **changed}.items() if text is not None}
    log = CacheLog()
    log.ca_run(enabled=False)
    log.looked_up("0/0", after)
    log.compiled("0/0", 5.0, co_filename=str(file))
    (cause,) = started(tmp_path, log, start_of(before), roots=(tmp_path,)).causes
    assert words.fix(cause).startswith(fix)


def test_a_graph_break_that_is_new_cuts_a_graph(tmp_path: Path) -> None:
    def log(graph: str, *lines: int) -> CacheLog:
        made = CacheLog()
        made.ca_run(enabled=False)
        for line in lines:
            text = (
                f"Graph break in user code at /home/user/blocks.py:{line}\n"
                "Graph Break Reason: Failed to trace builtin operator\n"
            )
            made.artifact("dynamo_graph_break_reason", text, "string", **made.context("0/0"))
        made.looked_up("0/0", {**PARTS, "gm": graph})
        made.compiled("0/0", 5.0)
        return made

    cut = GRAPH.replace("relu(x)", "tanh(x)")
    (cause,) = started(tmp_path / "1", log(cut, 6), log(GRAPH)).causes
    assert any(
        line.startswith("A graph break that the earlier start had not cuts it at blocks.py:6")
        for line in words.cause_lines(cause)
    )
    assert words.fix(cause).startswith("leave out what breaks the graph at blocks.py:6, as the ")
    # THEN also what is compiled of the function that it is in, by itself
    other = log(cut)
    text = (
        "Graph break in user code at /home/user/train.py:9\nGraph Break Reason: print\n\n"
        'User code traceback:\n  File "/home/user/train.py", line 9, in step\n    print(x)\n'
    )
    other.artifact("dynamo_graph_break_reason", text, "string", **other.context("7/0"))
    (cause,) = started(tmp_path / "3", other, log(GRAPH)).causes
    assert words.fix(cause).startswith("leave out what breaks the graph at train.py:9, as the ")
    # One that both starts had explains nothing.
    (cause,) = started(tmp_path / "2", log(cut, 6), log(GRAPH, 6)).causes
    assert words.fix(cause).startswith("none, if it was meant to differ")
