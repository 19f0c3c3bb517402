"""Inductor's C++ kernels of a graph are compiled together, to the same machine code."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from torch import nn
from torch._inductor import async_compile, config, cpp_builder
from torch._inductor.codecache import CppPythonBindingsCodeCache
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch._inductor.utils import fresh_cache

from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.compat import cpp_kernels, cpp_library
from ca_engine.lowering import backends
from ca_engine.lowering.modes import Mode
from tests.engine.conftest import Backward, gradient, run_under

KERNELS = 3  # of the training below, at least
STOCK_SOURCE_OF = cpp_library.source_of


class Compilers:
    """Counts C++ compilers: those for several kernels, and those that inductor starts for one."""

    def __init__(self) -> None:
        self.together = 0
        self.alone = 0


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> Compilers:
    count = Compilers()
    compile_in_one, build = cpp_library.compile_in_one, cpp_builder.CppBuilder.build

    def counted(kernels: Any) -> None:
        count.together += 1
        compile_in_one(kernels)

    def counted_alone(self: Any) -> None:
        count.alone += self.get_target_file_path().endswith(".main.so")
        build(self)

    monkeypatch.setattr(cpp_kernels, "compile_in_one", counted)
    monkeypatch.setattr(cpp_builder.CppBuilder, "build", counted_alone)
    return count


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(backends.BACKENDS, "inductor", backends.Inductor())
    with fresh_cache(), config.patch(compile_threads=1):
        yield


def training(backward: Backward) -> list[torch.Tensor]:
    """Of several kernels, for inductor fuses nothing across a product of matrices."""
    model = nn.Sequential(
        *(nn.Linear(4, 8), nn.LayerNorm(8), nn.Linear(8, 4), nn.Softmax(-1)),
        *(nn.Linear(4, 6), nn.Tanh()),
    )
    backward(model(torch.randn(16, 4)).square().sum())
    return [gradient(parameter) for parameter in model.parameters()]


def lowered(mode: Mode = Mode.ON) -> list[torch.Tensor]:
    outcome = run_under(CaptureCompiler, training, backend="inductor", lowering=mode)
    assert outcome.ways == ["lowered"]
    result: list[torch.Tensor] = outcome.result
    return result


def libraries() -> list[Path]:
    return sorted(Path(cache_dir()).glob("*/*.main.so"))


def files() -> int:
    """Count the libraries' files; several may have one."""
    return len({each.stat().st_ino for each in libraries()})


class Expected(NamedTuple):
    """What inductor alone compiles and computes; machine code by the name of a library."""

    gradients: list[torch.Tensor]
    code: dict[str, list[str]]


@pytest.fixture(scope="module")
def expected() -> Expected:
    with fresh_cache(), config.patch(compile_threads=1):
        outcome = run_under(CaptureCompiler, training, backend="inductor")
        assert files() == len(libraries()) >= KERNELS
        code = {each.name: machine_code(each, "kernel") for each in libraries()}
    return Expected(outcome.result, code)


def assert_equal(gradients: list[torch.Tensor], expected: Expected) -> None:
    torch.testing.assert_close(gradients, expected.gradients, rtol=0, atol=0)


def machine_code(library: Path, function: str) -> list[str]:
    """Instructions of ``function``, up to addresses; none without a disassembler."""
    if not shutil.which("objdump"):
        return []
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", f"--disassemble={function}", str(library)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [row.partition("\t")[2] for row in text.splitlines() if "\t" in row]
    return [re.sub(r"[0-9a-fx]+\(%rip\).*|[0-9a-f]+ <.*|<.*", "", row) for row in rows]


@pytest.mark.parametrize("mode", [Mode.ON, pytest.param(Mode.L1, marks=pytest.mark.long)])
@pytest.mark.long
def test_one_compiler_for_a_graph_gives_the_code_and_bits_of_one_for_each_kernel(
    mode: Mode, compilers: Compilers, expected: Expected
) -> None:
    assert_equal(lowered(mode), expected)
    assert (compilers.together, compilers.alone, files()) == (1, 0, 1)
    assert not list(Path(cache_dir()).glob("ca_kernels_*"))
    code = {
        each.name: machine_code(each, f"kernel_{each.name.partition('.')[0]}")
        for each in libraries()
    }
    assert code == expected.code
    assert len(code) >= KERNELS


@pytest.mark.long
def test_as_many_libraries_as_inductor_would_run_compilers(
    compilers: Compilers, expected: Expected
) -> None:
    with config.patch(compile_threads=2):
        assert_equal(lowered(), expected)
    assert (compilers.together, compilers.alone, files()) == (2, 0, 2)


@pytest.mark.long
def test_what_was_compiled_together_is_compiled_to_any_process(
    compilers: Compilers, expected: Expected
) -> None:
    """By the file that inductor looks for."""
    lowered()
    CppPythonBindingsCodeCache.cache_clear()
    shutil.rmtree(Path(cache_dir(), "fxgraph"))
    again = run_under(CaptureCompiler, training, backend="inductor")
    assert_equal(again.result, expected)
    assert (compilers.together, compilers.alone, files()) == (1, 0, 1)


def broken_source(_: Any) -> str:
    return "#error"


def source_of_other_kernels(kernels: Any) -> str:
    return STOCK_SOURCE_OF(kernels).replace('.kernel"', '.another"')


@pytest.mark.parametrize(
    "source_of", [pytest.param(broken_source, marks=pytest.mark.long), source_of_other_kernels]
)
@pytest.mark.long
def test_what_can_not_be_compiled_together_is_compiled_alone(
    source_of: Callable[[Any], str],
    compilers: Compilers,
    expected: Expected,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cpp_library, "source_of", source_of)
    assert_equal(lowered(), expected)
    assert (compilers.together, compilers.alone) == (1, len(libraries()))
    assert files() == len(libraries()) >= KERNELS


def test_without_links_each_kernel_has_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    library, place = tmp_path / "library.so", tmp_path / "kernel.so"
    library.write_text("code")
    cpp_library._put(library, place)
    assert place.read_text() == "code"
    assert place.stat().st_ino != library.stat().st_ino


def test_what_another_process_put_there_stays(tmp_path: Path) -> None:
    library, place = tmp_path / "library.so", tmp_path / "kernel.so"
    library.write_text("ours")
    place.write_text("theirs")
    cpp_library._put(library, place)
    assert place.read_text() == "theirs"


def to_compile(folder: Path, name: str, text: str, options: str = "-O3") -> Any:
    """What inductor hands over for a kernel."""
    (folder / f"{name}.main.cpp").write_text(text)
    library = f"{folder / name}.main.so"
    builder = SimpleNamespace(
        get_target_file_path=lambda: library,
        get_command_line=lambda: f"c++ {options} {library[:-3]}.cpp -o {library}",
    )
    return partial(lambda *_: None, "a lock", (builder,))


def test_only_kernels_of_one_command_become_one_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[list[str]] = []
    monkeypatch.setattr(
        cpp_kernels, "compile_in_one", lambda kernels: made.append([each.key for each in kernels])
    )
    cpp_kernels._compile_all(
        [
            to_compile(tmp_path, "c1", "int a;"),
            to_compile(tmp_path, "c2", "int a;", "-O3 -mavx2"),
            to_compile(tmp_path, "c3", "int a;"),
        ]
    )
    assert sorted(made) == [["c1", "c3"], ["c2"]]


def test_a_library_is_of_so_many_kernels_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    monkeypatch.setattr(cpp_kernels, "compile_in_one", lambda kernels: made.append(len(kernels)))
    count = 2 * cpp_kernels.MOST_TOGETHER + 1
    cpp_kernels._compile_all([to_compile(tmp_path, f"c{n}", "int a;") for n in range(count)])
    assert len(made) == 3
    assert sum(made) == count
    assert max(made) <= cpp_kernels.MOST_TOGETHER


@pytest.mark.parametrize(
    ("text", "can_be"),
    [
        ("#include <x.h>\n#pragma omp\n", True),
        ("  #pragma omp\n    #define PY_SSIZE_T_CLEAN  \n", True),
        (CppPythonBindingsCodeCache.suffix_template, True),
        ("#ifdef ANYTHING\n", False),
        ("#define max(a, b) a\n", False),
        ("#undef max\n", False),
        ("# define max\n", False),
    ],
)
def test_a_source_that_could_change_the_next_is_compiled_alone(
    text: str, can_be: bool, tmp_path: Path
) -> None:
    assert (cpp_library.Kernel.of(to_compile(tmp_path, "c1", text)) is not None) == can_be


def test_threads_compile_together_only_what_is_their_own() -> None:
    """And inductor's methods are put back, whoever is done first."""
    stock = async_compile.AsyncCompile.cpp_pybinding, async_compile.AsyncCompile.wait
    is_in, may_go = threading.Event(), threading.Event()

    def other() -> None:
        with cpp_kernels.compiled_together():
            is_in.set()
            may_go.wait(60)

    thread = threading.Thread(target=other)
    with cpp_kernels.compiled_together():
        thread.start()
        assert is_in.wait(60)
    assert cpp_kernels._batch.get() is None
    # The other thread is at it still; here a kernel is compiled as ever.
    assert torch.compile(lambda x: x.sin() + 1)(torch.zeros(3)).tolist() == [1.0] * 3
    may_go.set()
    thread.join()
    assert stock == (async_compile.AsyncCompile.cpp_pybinding, async_compile.AsyncCompile.wait)
