"""Graphviz's language."""

from ca_reports.output import graph_files
from ca_reports.output.format import Format

FORMAT = Format(name="dot", suffix=".dot", help="for Graphviz", graph=graph_files.dot)
