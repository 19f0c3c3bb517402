"""Commands that start Python processes: launchers, shell scripts, jobs of several ranks."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

import ca_reports
from ca_reports.diagnosis.analysis import analyze
from tests.integration.conftest import CA, Outcome, clean_environment
from tests.integration.jobs import described, free_port, torchrun

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner


@pytest.mark.long
def test_two_ranks_of_torchrun(job: Path, cold_ca: Runner, run_folder: Path) -> None:
    outcome = cold_ca("run", "-o", run_folder, *torchrun(2, "job.py", "ok"))

    assert outcome.code == 0
    run = ca_reports.load([run_folder])
    assert [process.rank for process in run.processes] == [0, 1]
    assert [len(process.captures) for process in run.processes] == [1, 2]
    assert all(process.end is not None for process in run.processes)
    assert "ca explain-recompiles" in outcome.stderr
    compared = analyze(run).ranks
    assert compared is not None
    assert [(found.ranks, found.step) for found in compared.partings] == [((1,), 3)]
    (stall,) = compared.stalls
    assert stall.seconds is not None
    assert 0 < stall.waited[0] <= stall.seconds
    told = json.loads(cold_ca("explain-recompiles", run_folder, "--format", "json").stdout)["ranks"]
    assert [(found["ranks"], found["step"]) for found in told["partings"]] == [([1], 3)]
    assert [(found["rank"], found["waiting"]) for found in told["stalls"]] == [(1, 1)]
    assert told["waited"] == pytest.approx(stall.waited[0])
    written = described(run_folder)
    assert written["exit_code"] == 0
    assert [row["rank"] for row in written["processes"]] == [0, 1]
    assert (run_folder / "report.html").is_file()


@pytest.mark.long
@pytest.mark.parametrize("processes", [2, 4])
def test_a_rank_that_crashes(job: Path, cold_ca: Runner, run_folder: Path, processes: int) -> None:
    outcome = cold_ca("run", "-o", run_folder, *torchrun(processes, "job.py", "crash"))

    assert outcome.code == 1
    assert "rank 1 has had enough" in outcome.stderr
    run = ca_reports.load([run_folder])
    assert [process.rank for process in run.processes] == list(range(processes))
    crashed = next(process for process in run.processes if process.rank == 1)
    assert crashed.end is not None
    assert crashed.end.error == "RuntimeError"
    compared = analyze(run).ranks
    assert compared is not None
    assert compared.alike == tuple(rank for rank in range(processes) if rank != 1)
    assert [found.ranks for found in compared.partings] == [(1,)]
    written = described(run_folder)
    assert written["exit_code"] == 1
    assert [row["rank"] for row in written["processes"]] == list(range(processes))


@pytest.mark.long
@pytest.mark.parametrize("processes", [2, 4])
def test_a_job_that_hangs_and_is_killed(
    job: Path, work: Path, run_folder: Path, processes: int
) -> None:
    command = [str(CA), "run", "-o", str(run_folder), *torchrun(processes, "job.py", "hang")]
    process = subprocess.Popen(
        command, cwd=work, env=clean_environment(), stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + 120
        while not (work / "hangs").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            process.kill()

    assert process.returncode not in (0, None)
    assert "ca explain-recompiles" in stderr
    run = ca_reports.load([run_folder])
    assert [process.rank for process in run.processes] == list(range(processes))
    for process_read in run.processes:
        assert process_read.end is None
    captures = {found.rank: len(found.captures) for found in run.processes}
    assert captures == {rank: 2 if rank == 1 else 1 for rank in range(processes)}
    # torchrun turns the signal into an exception.
    assert described(run_folder)["exit_code"] == process.returncode


LONE = """\
import datetime, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=float(sys.argv[1])))
rank = dist.get_rank()
model = torch.nn.Linear(8, 4)
compiles = []
def backend(graph, inputs):
    compiles.append(graph)
    time.sleep(float(sys.argv[2]) if len(compiles) > 1 else 0)
    return graph
@torch.compile(backend=backend)
def forward(x):
    return model(x).square().mean()
for step in range(6):
    forward(torch.randn(5 if rank == 1 and step == 3 else 8, 8)).backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad = None
dist.destroy_process_group()
"""


@pytest.mark.long
def test_a_rank_that_compiles_a_forward_alone(
    work: Path, cold_ca: Runner, run_folder: Path
) -> None:
    (work / "lone.py").write_text(LONE)
    outcome = cold_ca("run", "-o", run_folder, *torchrun(2, "lone.py", "120", "3"))

    assert outcome.code == 0, outcome.stderr
    compared = analyze(ca_reports.load([run_folder])).ranks
    assert compared is not None
    assert compared.timeout == 120.0
    assert [(found.ranks, found.step) for found in compared.partings] == [((1,), 3)]
    (stall,) = [found for found in compared.stalls if found.step == 3]
    assert (stall.rank, stall.is_alone) == (1, True)
    assert stall.waited[0] > 2.0
    told = cold_ca("explain-recompiles", run_folder).stdout
    assert "only rank 1 compiled 0/1 of `forward` (tensor 'x' size mismatch" in told
    assert "of the 120 s after which a collective of this job fails" in " ".join(told.split())


@pytest.mark.long
def test_a_job_that_ends_while_a_rank_compiles_alone(
    work: Path, cold_ca: Runner, run_folder: Path
) -> None:
    (work / "lone.py").write_text(LONE)
    outcome = cold_ca("run", "-o", run_folder, *torchrun(2, "lone.py", "20", "90"))

    assert outcome.code == 1
    compared = analyze(ca_reports.load([run_folder])).ranks
    assert compared is not None
    assert compared.gave_up == (0,)
    (stall,) = compared.stalls
    assert (stall.rank, stall.step, stall.seconds) == (1, 3, None)
    told = cold_ca("explain-recompiles", run_folder).stdout
    assert "compiled 0/1 of `forward` at step 3 and was not done when it was ended" in told


# --- other ways to start processes ----------------------------------------------------------

# A function, so that one of `multiprocessing` can run it as well as a process of its own.
TRAIN = """\
import os, sys, torch, torch.distributed as dist
def train(rank, size, port):
    # Imported here: a forked child, too, gets to know `ca` only now.
    torch._dynamo.config.compiled_autograd = True
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo", rank=rank, world_size=size)
    torch.manual_seed(0)
    w = torch.randn(8, 8, requires_grad=True)
    @torch.compile(backend="eager")
    def backward(loss):
        loss.backward()
    for step in range(4):
        y = torch.randn(4, 8) @ w
        backward((y.sin() if rank == 1 and step == 2 else y).sum())
        dist.all_reduce(w.grad)
        w.grad = None
    dist.destroy_process_group()
"""
SPAWN = (
    TRAIN
    + """
if __name__ == "__main__":
    torch.multiprocessing.start_processes(
        train, args=(2, sys.argv[2]), nprocs=2, start_method=sys.argv[1]
    )
"""
)
SUBPROCESSES = """\
import subprocess, sys
code = "import sys; from job import train; train(int(sys.argv[1]), 2, sys.argv[2])"
command = [sys.executable, "-c", code]
started = [subprocess.Popen([*command, str(rank), sys.argv[1]]) for rank in range(2)]
codes = [process.wait() for process in started]
subprocess.run([sys.executable, "-c", "print('no torch in this one')"], check=True)
sys.exit(max(codes))
"""
LOADER = """\
import sys, torch
from torch.utils.data import DataLoader
torch._dynamo.config.compiled_autograd = True
if __name__ == "__main__":
    w = torch.randn(8, 8, requires_grad=True)
    @torch.compile(backend="eager")
    def backward(loss):
        loss.backward()
    data = DataLoader(
        list(torch.randn(8, 8)), 2, num_workers=2, multiprocessing_context=sys.argv[1]
    )
    for batch in data:
        backward((batch @ w).sum())
        w.grad = None
"""
ACCELERATE = """\
import torch
from accelerate import Accelerator
torch._dynamo.config.compiled_autograd = True
torch._dynamo.config.optimize_ddp = "python_reducer"
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(8, 1)
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), 0.1))
@torch.compile(backend="eager")
def backward(loss):
    accelerator.backward(loss)
for step in range(4):
    y = model(torch.randn(4, 8))
    if step == 2 and accelerator.process_index == 1:
        y = y.sin()
    backward(y.sum())
    optimizer.step()
    optimizer.zero_grad()
# Without it a rank that ends after the other may be aborted by gloo's threads.
accelerator.end_training()
"""


def check_two_ranks(folder: Path, *, parting: int = 2) -> None:
    """Both ranks are there, and rank 1 alone captured again."""
    run = ca_reports.load([folder])
    assert [(process.rank, len(process.captures)) for process in run.processes] == [(0, 1), (1, 2)]
    assert all(process.end is not None and not process.end.error for process in run.processes)
    assert [len(process.backwards or ()) for process in run.processes] == [4, 4]
    compared = analyze(run).ranks
    assert compared is not None
    assert [(found.ranks, found.step) for found in compared.partings] == [((1,), parting)]
    assert compared.restarts == 0
    rows = [row["rank"] for row in described(folder)["processes"]]
    assert [rank for rank in rows if rank is not None] == [0, 1]


@pytest.mark.long
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_of_torch_multiprocessing(
    work: Path, run_ca: Runner, run_folder: Path, method: str
) -> None:
    (work / "job.py").write_text(SPAWN)

    outcome = run_ca("job.py", method, str(free_port()))

    assert outcome.code == 0, outcome.stderr
    assert "ca:" not in outcome.stderr
    check_two_ranks(run_folder)


@pytest.mark.long
def test_subprocesses(work: Path, run_ca: Runner, run_folder: Path) -> None:
    (work / "job.py").write_text(TRAIN)
    (work / "main.py").write_text(SUBPROCESSES)

    outcome = run_ca("main.py", str(free_port()))

    assert outcome.code == 0, outcome.stderr
    assert "no torch in this one" in outcome.stdout
    assert "ca:" not in outcome.stderr
    run = ca_reports.load([run_folder])
    assert [len(process.captures) for process in run.processes] in ([1, 2], [2, 1])
    assert len(described(run_folder)["processes"]) == 2


@pytest.mark.long
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_the_workers_of_a_data_loader_make_no_noise(
    work: Path, run_ca: Runner, run_folder: Path, cold_ca: Runner, method: str
) -> None:
    (work / "job.py").write_text(LOADER)

    assert run_ca("job.py", method) == Outcome(0, "", "")
    run = ca_reports.load([run_folder])
    (process,) = run.processes
    assert (len(process.captures), len(process.backwards or ())) == (1, 4)
    # A spawned worker imports torch and says so; a forked one has nothing to tell.
    workers = {"fork": 0, "spawn": 2}[method]
    assert len(run.helpers) == workers
    assert not run.damage
    assert len(described(run_folder)["processes"]) == 1 + workers
    assert "processes" not in cold_ca("explain-recompiles", run_folder).stdout


@pytest.mark.long
def test_accelerate_launch(work: Path, cold_ca: Runner, run_folder: Path) -> None:
    pytest.importorskip("accelerate")
    (work / "train.py").write_text(ACCELERATE)

    # `--multi_gpu` is accelerate's word for several processes on this machine.
    outcome = cold_ca(
        "run", "--quiet", "-o", run_folder, "accelerate", "launch", "--multi_gpu",
        "--num_processes=2", "--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no",
        f"--main_process_port={free_port()}", "train.py",
    )  # fmt: skip

    assert outcome.code == 0, outcome.stderr
    assert "ca:" not in outcome.stderr
    check_two_ranks(run_folder)
    again = ca_reports.load([run_folder]).captures[-1]
    assert again.backward_call is not None
    # Accelerate's own line is the same in every program.
    assert again.backward_call.code == "accelerator.backward(loss)"
