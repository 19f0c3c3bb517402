"""For a reader, as wide and as coloured as the terminal."""

from ca_reports.render import check, compare_terminal, terminal
from ca_reports.render.format import Format

FORMAT = Format(
    name="terminal",
    suffix=".txt",
    help="for a reader",
    analysis=terminal.render,
    verdict=check.render,
    outcome=compare_terminal.render,
    on_console=True,
    comment=("# ", ""),
)
