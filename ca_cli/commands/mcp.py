"""``ca mcp``: the commands for coding agents, by the Model Context Protocol."""

from __future__ import annotations

from ca_cli.errors import UsageError
from ca_cli.options import command


@command
def mcp() -> None:
    """Serve run, explain, fix, verify, caches and sizes to a coding agent, over stdin and stdout.

    An agent's client starts it in the folder of the program. Before a program is run, the
    client asks its user. Needs the extra `mcp`: pip install 'ca-profiler[mcp]'.
    """
    try:
        from ca_cli.mcp_server import server
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types", "anyio", "pydantic"):
            raise
        raise UsageError("ca mcp needs more: pip install 'ca-profiler[mcp]'") from None
    server.run("stdio")
