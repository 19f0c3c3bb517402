"""Shows a recording while it goes on: in a notebook, or wherever the program prints it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ca_engine import installation
from ca_engine.settings import Settings

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())  # before Python 3.12 only the class for this system can be derived from


class Recording(_Path):
    """The folder of a recording. A notebook shows what was recorded in it so far."""

    def _repr_mimebundle_(self, **_asked_for: Any) -> dict[str, str]:
        return _shown(self)

    def _repr_html_(self) -> str | None:
        return self._repr_mimebundle_().get("text/html")


class SummaryText(str):
    """What a recording has so far, as the end of a run says it; a notebook lays it out."""

    html: str | None = None

    def _repr_mimebundle_(self, **_asked_for: Any) -> dict[str, str]:
        plain = {"text/plain": str(self)}
        return plain if self.html is None else {**plain, "text/html": self.html}


_IN_A_TRIAL = "No summary: ca compares runs of this program."

# The folders of the recordings in progress that `record` began, the innermost last.
in_progress: list[Path] = []


def summary() -> SummaryText:
    """Say what was recompiled so far, why, and what to change: of a process that goes on.

    That is what ``ca explain-recompiles`` says in brief of the innermost `record` in progress, else
    of the run of ``ca run``, with all its processes. It takes a second or two of another process,
    and nothing of this one is changed; a thread may ask. Where ``ca fix --verify`` or ``ca try``
    compares runs of the program by what they print, it is the same text in each. Raises
    RuntimeError where nothing is being recorded.

        >>> import ca_engine
        >>> with ca_engine.record("my-run"):
        ...     serve()
        ...     print(ca_engine.summary())
    """
    run = os.environ.get("CA_RUN")
    folder = in_progress[-1] if in_progress else Path(run) if run else None
    if folder is None:
        raise RuntimeError(
            "nothing is being recorded: start the program by `ca run`, or call ca_engine.record"
        )
    if Settings.from_environment(os.environ).try_steps is not None:
        return SummaryText(_IN_A_TRIAL)
    bundle = _shown(folder)
    told = SummaryText(bundle["text/plain"])
    told.html = bundle.get("text/html")
    return told


def _shown(folder: Path) -> dict[str, str]:
    """Return what there is to say of ``folder``, by MIME type."""
    installation.settle()
    # In an interpreter of its own: the reports, and what they import, stay out of this one.
    command = [sys.executable, "-m", "ca_reports.output.notebook", str(folder), str(Path.cwd())]
    shown = subprocess.run(command, capture_output=True, check=False)
    if shown.returncode:
        return {"text/plain": f"{folder}: {shown.stderr.decode(errors='replace').strip()}"}
    bundle: dict[str, str] = json.loads(shown.stdout)
    return bundle
