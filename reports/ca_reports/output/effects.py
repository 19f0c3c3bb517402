"""Words for the side effects of a remedy's edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ca_reports.causes.remedies import Effect

_EFFECTS: dict[Effect, str] = {
    "leaves_out_samples": "leaves samples out of the training",
    "computes_more": "computes more in each step",
    "trains_on_zeros": (
        "gives gradients of zeros where there were none, by which momentum and weight decay move "
        "parameters"
    ),
    "cuts_gradients": "cuts gradients between steps",
    "holds_gradients": "keeps all gradients until the backward ends",
    "mends_gradients": "computes other gradients, those of eager's backward",
    "other_precision": "computes in another precision",
    "other_random_numbers": "draws other random numbers",
    "other_mode": "leaves a mode, a setting or a hook as it is in more steps",
    "raises_otherwise": "raises an error at another moment",
    "writes_otherwise": "prints or records at another moment",
    "runs_eager": "runs some calls uncompiled",
}


def in_words(effects: Sequence[Effect]) -> str:
    """Return ``it computes more in each step, and draws other …``; empty without an effect."""
    told = ", and ".join(_EFFECTS[effect] for effect in effects)
    return f"it {told}" if told else ""
