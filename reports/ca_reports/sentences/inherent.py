"""Why every program of its kind has an event that no fix takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ca_reports.facts.costs import Inherent

WHY_INHERENT: dict[Inherent, str] = {
    "dynamic": "made a size dynamic",
    "phase": "for a phase of its own",
    "warm_up": "in a warm-up",
    "switch": "for what is switched once",
    "accumulation": "for gradients that are added to",
    "mode": "for another mode",
    "use": "for another module, or place in one",
    "gradient": "with or without gradients",
    "backward": "for another backward",
    "swap": "for a forward that was compiled in the background",
}
