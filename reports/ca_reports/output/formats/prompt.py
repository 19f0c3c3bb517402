"""Plain text for a coding agent, within a budget of tokens."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="prompt",
    suffix=".txt",
    help="for a coding agent: what happened, evidence and source, in few tokens",
    analysis=later("prompt"),
)
