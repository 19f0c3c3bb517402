"""Records in torch's trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch

import ca_engine
from tests import warm
from tests.engine.recorder.test_recorder import column, read_records

FIRST_BACKWARD = """
import sys
from pathlib import Path
{imports}
with ca_engine.record({folder!r}), ca_engine.enable(lambda module: module):
    torch.ones(3, requires_grad=True).sum().backward()
"""


@pytest.mark.parametrize(
    "imports",
    [
        # The order of every program that `ca run` records
        pytest.param("import torch, ca_engine", marks=pytest.mark.long),
        "import ca_engine; ca_engine.enable; import torch",
    ],
)
def test_the_first_record_of_a_process_is_not_lost(tmp_path: Path, imports: str) -> None:
    code = FIRST_BACKWARD.format(imports=imports, folder=str(tmp_path / "run"))
    subprocess.run([sys.executable, "-c", code], check=True)
    (log,) = (tmp_path / "run").glob("*.log")
    records = read_records(log)
    assert len(records["ca_run"]) == len(records["ca_end"]) == 1
    assert column(records, "step") == [0]


def test_a_setting_that_json_has_no_value_for_does_not_end_the_compile(tmp_path: Path) -> None:
    option = [{"device_type": "cpu", "dtype": torch.bfloat16}]
    with (
        torch._functorch.config.patch(backward_pass_autocast=option),
        ca_engine.record(tmp_path / "run"),
    ):
        torch._dynamo.reset()
        x = torch.ones(3, requires_grad=True)
        torch.compile(torch.sin, backend="aot_eager")(x).sum().backward()
    (log,) = (tmp_path / "run").glob("*.log")
    assert "torch.bfloat16" in log.read_text()
    assert vars(torch._logging._internal)["json"] is json


class Unprintable(torch.Tensor):
    """Wraps a tensor, and has no views, which printing it asks for."""

    kept: torch.Tensor

    @staticmethod
    def __new__(cls: type[Unprintable], inner: torch.Tensor) -> Unprintable:
        made = torch.Tensor._make_wrapper_subclass(cls, inner.size())
        made.kept = inner
        return made

    def __tensor_flatten__(self) -> tuple[list[str], None]:
        return ["kept"], None

    @staticmethod
    def __tensor_unflatten__(inner: dict[str, Any], _: Any, size: Any, stride: Any) -> Unprintable:
        return Unprintable(inner["kept"])

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func is torch.ops.aten.view.default:
            raise NotImplementedError(func)
        return func(*(one.kept if isinstance(one, cls) else one for one in args), **(kwargs or {}))


def test_a_tensor_that_cannot_be_shown_does_not_end_the_compile(tmp_path: Path) -> None:
    torch._dynamo.reset()
    with ca_engine.record(tmp_path / "run"), torch.no_grad():
        total = torch.compile(torch.sum, backend="aot_eager")(Unprintable(torch.ones(3)))
    assert total == 3
    (log,) = (tmp_path / "run").glob("*.log")
    assert "NotImplementedError when it was to be shown" in log.read_text()
    assert import_module("torchgen.utils").dataclass_repr.__module__ == "torchgen.utils"


RECONFIGURED = """
import logging, logging.config
import torch, ca_engine

def compiled():
    torch._dynamo.reset()
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))

with ca_engine.record("run"):
    compiled()
    {configures}
    compiled()
"""


@pytest.mark.parametrize(
    "configures",
    [
        "logging.config.dictConfig({'version': 1, 'disable_existing_loggers': False})",
        "logging.config.dictConfig({'version': 1})",
        "logging.config.dictConfig({'version': 1, 'loggers': {'torch': {'level': 'WARNING'}}})",
        "logging.disable(logging.CRITICAL)",
        "logging.shutdown()",
    ],
)
def test_what_a_program_does_to_its_loggers_ends_no_trace(tmp_path: Path, configures: str) -> None:
    program = RECONFIGURED.format(configures=configures)
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "program.py"]
    done = warm.python().run(command, env={**os.environ}, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (log,) = (tmp_path / "run").glob("*.log")
    assert log.read_text().count('"dynamo_start"') == 2
    assert len(read_records(log)["ca_end"]) == 1
