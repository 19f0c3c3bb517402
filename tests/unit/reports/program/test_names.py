"""What names may hold, in one order whatever the process's hash seed is."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import sys
from ca_reports.program.files import SourceFiles
from ca_reports.program.names import Names
from ca_reports.program.syntax import Program

program = Program(SourceFiles([sys.argv[1]]), [sys.argv[1] + "/net.py"])
names = Names(program)
call = next(site.node for site in program.calls("layer"))
print(*names.made_of("layer"), *(site.line for site in names.callees(call)))
"""


def test_the_classes_of_a_variable_come_in_one_order(tmp_path: Path) -> None:
    classes = [f"Layer{at}" for at in range(30)]
    text = "".join(f"class {one}:\n    def forward(self, x): return x\n" for one in classes)
    text += f"layer = choose([{', '.join(classes)}])\ny = layer(x)\n"
    (tmp_path / "net.py").write_text(text)

    said = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(said) == 1
    assert set(classes) <= set(said.pop().split())
