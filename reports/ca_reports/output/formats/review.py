"""A pull request's review for GitHub's API."""

from ca_reports.output.format import Format, later

FORMAT = Format(
    name="review",
    suffix=".json",
    help="a pull request's review, for GitHub's API",
    fixes=later("fixes_review"),
)
