"""What `torch.distributed` says where a collective has waited for too long."""

from __future__ import annotations

from ca_engine.lazy_expressions import expression

# Of gloo's exception; of NCCL's watchdog, which ends the process.
_TIMEOUTS = expression(
    r"Timed out waiting \d+ms for (?:recv|send)|"
    r"Watchdog caught collective operation timeout"
)


def is_timeout(text: str) -> bool:
    """Return whether an exception's text says that a collective's timeout was reached."""
    return _TIMEOUTS.search(text) is not None
