"""A picture that stands by itself."""

from ca_reports.output import graph_files
from ca_reports.output.format import Format, later

FORMAT = Format(
    name="svg",
    suffix=".svg",
    help="a picture",
    graph=graph_files.svg,
    sizes=later("sizes_svg"),
)
