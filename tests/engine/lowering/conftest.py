"""With a torch that lowering was not proven on there is nothing to be tested here."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ca_engine
from ca_engine import schema
from ca_engine.capture.compiler import CaptureCompiler
from ca_engine.lowering import modes
from tests.engine.conftest import leaf, run_under
from tests.engine.recorder.test_recorder import read_records

collect_ignore_glob = [] if modes.is_proven() else ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def inductor_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What inductor compiles here is nobody else's, and nobody else's is found here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))
        yield


@pytest.fixture(scope="module")
def accumulation_is_bound() -> None:
    """Torch binds the functions of C++ nodes when it first captures one."""
    x = leaf(2)
    run_under(CaptureCompiler, lambda backward: backward(x.sum()), backend="none")


@pytest.fixture
def recorded(tmp_path: Path) -> Any:
    """Runs a function under lowering and returns the records ``ca_lowering``."""

    def run(function: Any) -> list[Any]:
        with ca_engine.record(tmp_path):
            function()
        (log,) = tmp_path.iterdir()
        return read_records(log).get(schema.LOWERING_RECORD, [])

    return run
