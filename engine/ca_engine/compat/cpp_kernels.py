"""Compiles the C++ kernels of a graph together.

Inductor starts the C++ compiler once for each. Here those of a graph become as many libraries as
inductor would run compilers at a time (`cpp_library`), put where it looks for each kernel's own:
from there on they are kernels that it has compiled before, in this process and the next. What
can't be compiled like this it compiles by itself.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, ClassVar

from torch._dynamo.utils import dynamo_timed
from torch._inductor import async_compile
from torch._inductor.codecache import CppPythonBindingsCodeCache, LambdaFuture

from ca_engine.compat.cpp_library import Kernel, compile_in_one

# What a compiler takes of memory grows with its source.
MOST_TOGETHER = 32

_log = logging.getLogger(__name__)
_OWNER: Any = async_compile.AsyncCompile


class _Batch:
    """The kernels of one graph, which are compiled when the first of them is waited for."""

    def __init__(self) -> None:
        self._alone: list[Callable[[], None]] = []
        self._futures: list[Any] = []

    def add(self, argument_types: list[str], source: str) -> Any:
        """As `AsyncCompile.cpp_pybinding`, with a future for each kernel."""
        async_compile.kernel_code_log.info("CPP+Bindings Kernel:\n%s", source)
        load = CppPythonBindingsCodeCache.load_pybinding_async(
            argument_types, source, submit_fn=self._submit
        )
        self._futures.append(LambdaFuture(load))
        return self._futures[-1]

    def _submit(self, compile_alone: Callable[[], None]) -> _Batch:
        """Submit a kernel whose library does not exist; what it returns is waited for."""
        self._alone.append(compile_alone)
        return self

    def result(self) -> None:
        alone, self._alone = self._alone, []
        if alone:
            _compile_all(alone)

    def resolve(self, scope: dict[str, Any]) -> None:
        """Replace each future in ``scope`` by its kernel."""
        own = set(map(id, self._futures))
        with dynamo_timed(
            "async_compile.wait",
            log_pt2_compile_event=True,
            dynamo_compile_column_us="triton_compile_time_us",
        ):
            for name, value in list(scope.items()):
                if id(value) in own:
                    scope[name] = value.result()
        self._futures.clear()


def _compile_all(alone: Sequence[Callable[[], None]]) -> None:
    by_options: dict[str, list[Kernel]] = defaultdict(list)
    jobs: list[Callable[[], None]] = []
    for compile_alone in alone:
        if (kernel := Kernel.of(compile_alone)) is None:
            jobs.append(compile_alone)
        else:
            by_options[kernel.options].append(kernel)
    compilers = max(async_compile.get_compile_threads(), 1)
    for kernels in by_options.values():
        libraries = max(min(compilers, len(kernels)), -(-len(kernels) // MOST_TOGETHER))
        kernels.sort(key=lambda kernel: len(kernel.text))  # so that none gets all the long ones
        jobs += [partial(compile_in_one, kernels[number::libraries]) for number in range(libraries)]
    with ThreadPoolExecutor(compilers, "ca-kernels") as pool:
        list(pool.map(_try, jobs))


def _try(job: Callable[[], None]) -> None:
    """Run ``job``; what it leaves out inductor compiles by itself, and raises the error if any."""
    try:
        job()
    except Exception as error:
        _log.info("C++ kernels are compiled one by one: %s: %s", type(error).__name__, error)


_batch: ContextVar[_Batch | None] = ContextVar("ca_kernels", default=None)


@contextmanager
def compiled_together() -> Iterator[None]:
    """Compile together the kernels of a graph that this thread compiles within."""
    if sys.platform == "win32":  # whose compiler takes other commands
        yield
        return
    with _Replaced():
        before = _batch.set(_Batch())
        try:
            yield
        finally:
            _batch.reset(before)


class _Replaced:
    """Two methods of inductor's serve the batch of the thread that calls them, if it has one.

    The first thread replaces them and the last one puts them back.
    """

    _lock: ClassVar = threading.Lock()
    _count: ClassVar = 0
    _stock: ClassVar[tuple[Any, Any]]

    def __enter__(self) -> None:
        cls = type(self)
        with cls._lock:
            cls._count += 1
            if cls._count == 1:
                cls._stock = stock = _OWNER.cpp_pybinding, _OWNER.wait
                _OWNER.cpp_pybinding, _OWNER.wait = _serving(*stock)

    def __exit__(self, *_: object) -> None:
        cls = type(self)
        with cls._lock:
            cls._count -= 1
            if not cls._count:
                _OWNER.cpp_pybinding, _OWNER.wait = cls._stock


def _serving(stock_binding: Any, stock_wait: Any) -> tuple[Any, Any]:
    def cpp_pybinding(self: Any, argument_types: list[str], source: str) -> Any:
        batch = _batch.get()
        if batch is None:
            return stock_binding(self, argument_types, source)
        return batch.add(argument_types, source)

    def wait(self: Any, scope: dict[str, Any]) -> None:
        if (batch := _batch.get()) is not None:
            batch.resolve(scope)
        stock_wait(self, scope)

    return cpp_pybinding, wait
