"""For a reader, as wide and as coloured as the terminal."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="terminal",
    suffix=".txt",
    help="for a reader",
    analysis=later("terminal"),
    verdict=later("check"),
    outcome=later("compare_terminal"),
    graph=later("graph_text"),
    start=later("caches_terminal"),
    sizes=later("sizes_terminal"),
    on_console=True,
    comment=("# ", ""),
)
