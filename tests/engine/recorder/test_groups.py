"""The group of ranks that a process is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.engine.recorder.test_compiles import records_of
from tests.integration.jobs import free_port

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import datetime, os, torch
import torch.distributed as dist
from ca_engine import install
install()
f = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
f(torch.ones(2))
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="{port}", RANK="0", WORLD_SIZE="1")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=77))
f(torch.ones(3))
f(torch.ones(4))
torch._dynamo.config.enable_compiler_collectives = True
dist.destroy_process_group()
f(torch.ones(5))
"""


def test_the_group_is_written_once_and_only_where_there_is_one(tmp_path: Path) -> None:
    records = records_of(tmp_path, SCRIPT.format(port=free_port()))
    (group,) = records["ca_group"]
    assert (group["backend"], group["ranks"], group["timeout"]) == ("gloo", 1, 77.0)
    assert group["shares_sizes"] is False
    assert [len(records["ca_guards"])] == [4]


def test_a_program_without_a_group_has_no_record(tmp_path: Path) -> None:
    script = """
    import torch
    from ca_engine import install
    install()
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    """
    assert "ca_group" not in records_of(tmp_path, script)
