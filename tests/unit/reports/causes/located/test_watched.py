"""A line that was seen to change what a guard reads overrules what the source says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ca_reports.run.held import ChangedLine, FailedGuard, Held
from tests.unit.reports.causes.located.test_located import all_marked, located, project

if TYPE_CHECKING:
    from pathlib import Path

    from ca_reports.causes.findings import Finding

SEVERAL = """
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return x * self.scale
        def decay(net, step):
            net.scale = 1.0 / (step + 1)  # seen
        def reset(net):
            net.scale = 1.0
        net = Net()
        for step, x in enumerate(loader):
            reset(net) if step % 5 == 0 else decay(net, step)
            compiled(x)  # step
"""
BY_NAME = """
        # file: train.py
        import torch
        class Net(torch.nn.Module):
            def forward(self, x):  # compiled
                return x * self.scale
        def tune(net, name, value):
            setattr(net, name, value)  # seen
        net = Net()
        for step, x in enumerate(loader):
            tune(net, "scale", step)
            compiled(x)  # step
"""
SCHEDULED = """
        # file: train.py
        import torch
        optimizer = torch.optim.AdamW(model.parameters())
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=9)  # made
        @torch.compile
        def update():  # compiled
            optimizer.step()
        for x in loader:
            model(x).sum().backward()
            update()  # step
            schedule.step()  # seen
"""


def found_with(
    tmp_path: Path, text: str, source: str, *, compiled: bool = False, files_differ: bool = False
) -> tuple[dict[str, list[str]], Finding]:
    files = project(tmp_path, text)
    (seen,) = all_marked(files, "seen")
    change = ChangedLine(
        "/other/place.py" if files_differ else seen.file,
        seen.line,
        "",
        compiled,
        Held(type="float", value=1.0, has_value=True),
        Held(type="torch.Tensor"),
    )
    finding = located(
        files,
        tmp_path,
        "CA702",
        key=source,
        reason=f"0/0: {source} == 1.0",
        watched=[FailedGuard("0/0", source, None, change)],
    )
    return files, finding


TWO_SCHEDULES = """
        # file: train.py
        import torch
        from factory import make_optimizer
        optimizer = make_optimizer(model)
        warm = torch.optim.lr_scheduler.LinearLR(optimizer)
        decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
        @torch.compile
        def update():  # compiled
            optimizer.step()
        for x in loader:
            model(x).sum().backward()
            update()  # step
            warm.step()
            decay.step()  # seen
"""


@pytest.mark.parametrize(
    ("text", "source", "mark"),
    [
        (SEVERAL, "self.scale", "seen"),
        (BY_NAME, "self.scale", "seen"),
        # Of several lines that may have, the one that did.
        (TWO_SCHEDULES, "self.param_groups[0]['lr']", "seen"),
        # A library changed it in the user's call: the line to edit is where its object is made.
        (SCHEDULED, "self.param_groups[0]['betas'][0]", "made"),
    ],
)
def test_the_line_that_was_seen_is_the_one(
    tmp_path: Path, text: str, source: str, mark: str
) -> None:
    files, finding = found_with(tmp_path, text, source)
    (line,) = all_marked(files, mark)
    assert finding.known_by == ("watched" if mark == "seen" else "read")
    assert finding.location is not None
    assert finding.location.line == line.line
    (seen,) = all_marked(files, "seen")
    assert finding.evidence[0].text.startswith(f"watched: train.py:{seen.line} changed `")
    assert finding.evidence[0].text.endswith("`: 1.0 → Tensor")


@pytest.mark.parametrize("how", ["compiled", "files_differ"])
def test_compiled_code_and_unknown_files_overrule_nothing(tmp_path: Path, how: str) -> None:
    files, finding = found_with(tmp_path, SEVERAL, "self.scale", **{how: True})
    unseen = located(files, tmp_path, "CA702", key="self.scale", reason="0/0: self.scale == 1.0")
    assert finding.location is not None
    assert finding.location == unseen.location
    assert finding.location not in all_marked(files, "seen")
