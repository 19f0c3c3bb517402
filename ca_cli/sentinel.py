"""The end of a run whose process ended without Python's own end: a signal, ``os._exit``.

`ca run` becomes the interpreter that runs the script, which completes the run when it ends in
order (`ca_engine.boot`). A signal ends it at once, and a handler of ours would make it another
program. So `ca run` leaves a small process behind that sleeps until that one is gone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ca_cli import run_folder
from ca_engine.boot import standard_streams

if TYPE_CHECKING:
    from collections.abc import Mapping

# Isolated and without site, as what completes a run that ends in order is, for the same reasons.
_CODE = """
import os, sys
sys.path[:] = sys.argv.pop(1).split(os.pathsep)
from ca_cli.sentinel import main
sys.exit(main())
"""
# Of a container: all its processes end with this one.
_INIT = 1


def watch_over(folder: Path, environment: Mapping[str, str]) -> None:
    """Start the process that completes the run of `folder` if this one cannot.

    The script that we become is not its parent, so it neither sees it nor waits for it; nor does
    it share a process group, which a terminal or a shell ends. `environment` is the run's. Does
    nothing on a system without `os.pidfd_open`, where `ca report` writes the page afterwards.
    """
    if not hasattr(os, "pidfd_open") or os.getpid() == _INIT:
        return
    import fcntl  # not on Windows

    try:
        ended = os.pidfd_open(os.getpid())
    except OSError:  # a kernel before 5.3
        return
    parent = os.fork()
    if parent == 0:
        try:
            os.setsid()
            # Not where the standard streams go, one of which may be closed.
            kept = fcntl.fcntl(ended, fcntl.F_DUPFD, 3)
            path = os.pathsep.join(sys.path)
            os.posix_spawn(
                sys.executable,
                [sys.executable, "-IS", "-c", _CODE, path, str(folder), str(kept)],
                environment,
                file_actions=standard_streams(),
            )
        finally:
            os._exit(0)
    os.close(ended)
    os.waitpid(parent, 0)


def main() -> int:
    """Wait until the process behind a descriptor is gone, and complete its run if it did not.

    Started with the folder and the descriptor as arguments. Returns an exit code.
    """
    folder, ended = Path(sys.argv[1]), int(sys.argv[2])
    # What ends all processes of a service or a session leaves them time to end in order.
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    select.select([ended], [], [])
    if (folder / run_folder.EXIT_CODE).exists() or not folder.is_dir():
        return 0
    from ca_cli import finish

    return finish.main([str(folder)])
