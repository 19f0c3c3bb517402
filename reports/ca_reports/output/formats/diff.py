"""A unified diff, for `git apply` and `patch`."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="diff",
    suffix=".patch",
    help="for git apply",
    fixes=later("fixes_diff"),
    comment=("# ", ""),
)
