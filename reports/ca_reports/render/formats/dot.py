"""Graphviz's language."""

from ca_reports.render import graph_files
from ca_reports.render.format import Format

FORMAT = Format(name="dot", suffix=".dot", help="for Graphviz", graph=graph_files.dot)
