"""Words for a start that was not warm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ca_reports.sentences import caches as words
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
        for frame in range(number):
            log.looked_up(f"{frame}/0", state="hit")
            log.compiled(f"{frame}/0", 5.0)
        start = started(tmp_path / str(number), log)
        assert words.headline(start) == f"Warm: {told_of} came from the cache."


def test_caches_that_are_off_are_said_where_inductor_compiled(tmp_path: Path) -> None:
    log = CacheLog()
    log.ca_run(enabled=False)
    log.compiled("0/0", 5.0, triton_compile_time_us=2_000_000)
    told = words.headline(started(tmp_path / "1", log, start_of()))
    assert told.startswith("No look-up of a cache was recorded, though inductor compiled")
    assert "TORCHINDUCTOR_FORCE_DISABLE_CACHES" in told
    file = tmp_path / "train.py"
    file.write_text("import torch.compiler.config as c\nc.force_disable_caches = True\n")
    log.compiled("1/0", 5.0, co_filename=str(file))
    told = words.headline(started(tmp_path / "3", log, start_of(), roots=(tmp_path,)))
    assert "Set at train.py:2 (`c.force_disable_caches = True`)." in told
    other = CacheLog()
    other.ca_run(enabled=False)
    other.compiled("0/0", 5.0)
    start = started(tmp_path / "2", other, start_of())
    assert words.headline(start) == "No look-up of a cache was recorded."


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
        "and not in it (`ca rule CA621`)."
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
