"""Tells a process from a later one of the same number. Standard library only."""

from __future__ import annotations

from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_START = 19  # Of what follows the name in /proc/PID/stat: the ticks from the machine's start.
_GONE = "ZX"


def incarnation_of(pid: int) -> str | None:
    """Return what no other process has, on any machine; None if it is unknown or has ended.

    That is the boot of the machine and the tick of its clock in which the process began. Linux
    alone tells both.
    """
    try:
        boot = _BOOT.read_text("ascii").strip()
        # The name is the program's, and may hold spaces and brackets.
        _, _, told = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")
    except OSError:
        return None
    state, *fields = told.split()
    return None if state in _GONE else f"{boot}/{fields[_START - 1]}"
