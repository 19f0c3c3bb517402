"""Shows a recording in a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_engine import installation

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12 only the class for this system can be derived from


class Recording(_Path):
    """The folder of a recording. A notebook shows what was recorded in it so far."""

    def _repr_mimebundle_(self, **_asked_for: Any) -> dict[str, str]:
        installation.settle()
        # In an interpreter of its own: the reports, and what they import, stay out of this one.
        command = [sys.executable, "-m", "ca_reports.output.notebook", str(self), str(Path.cwd())]
        shown = subprocess.run(command, capture_output=True, check=False)
        if shown.returncode:
            return {"text/plain": f"{self}: {shown.stderr.decode(errors='replace').strip()}"}
        bundle: dict[str, str] = json.loads(shown.stdout)
        return bundle

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")
