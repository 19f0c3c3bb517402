"""A unified diff, for `git apply` and `patch`."""

from ca_reports.render import fixes_diff
from ca_reports.render.format import Format

FORMAT = Format(
    name="diff",
    suffix=".patch",
    help="for git apply",
    fixes=fixes_diff.render,
    comment=("# ", ""),
)
