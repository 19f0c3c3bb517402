"""The version of the whole project, which the build reads from here, and the oldest torch."""

__version__ = "0.2.0"

# Of older ones a run holds what torch itself writes into its trace, and `ca` adds nothing.
FIRST_RECORDED = (2, 8)
RECORDED_WITH = f"torch {'.'.join(map(str, FIRST_RECORDED))} or later"


def is_recorded(torch: str) -> bool:
    """Return whether the recorder works in processes with this torch (``2.8.0+cu128``)."""
    major, minor = torch.split(".")[:2]
    return (int(major), int(minor)) >= FIRST_RECORDED
