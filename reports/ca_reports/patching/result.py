"""Result of `ca fix`: the patches of a run, offered, refused, or tried and failed."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.patching.patches import successive, unified_diff

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ca_reports.causes.findings import Finding
    from ca_reports.patching.patches import Patch, Proposal
    from ca_reports.patching.proof import Proof
    from ca_reports.words.places import Places


@dataclass(frozen=True, slots=True)
class Fix:
    """A patch for a finding; ``proof`` is None if it was not run.

    ``alternatives`` are other patches of the same finding, the best first; ``also`` are findings
    that the patch is for besides, whose own patches save nothing alone. ``beside`` is another
    offered finding, without whose patch this one saves nothing or does harm.
    """

    finding: Finding
    patch: Patch
    proof: Proof | None = None
    alternatives: tuple[Fix, ...] = ()
    also: tuple[Finding, ...] = ()
    beside: Finding | None = None


@dataclass(frozen=True, slots=True)
class Fixes:
    """``texts`` are the program's files by name. ``offered`` can all be applied together.

    ``failed`` are patches that ran and did not keep what they promise. ``left`` are the warnings
    and errors of the program with all that are offered, if that was run, ``gone`` findings
    without a patch that are gone then. ``places`` names files below the root of the repository.
    """

    texts: Mapping[str, str]
    offered: tuple[Fix, ...] = ()
    refused: tuple[Proposal, ...] = ()
    failed: tuple[Fix, ...] = ()
    left: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    verbose: bool = False
    places: Places | None = None
    _diffs: dict[int, str] = field(default_factory=dict, compare=False, repr=False)

    def path(self, file: str) -> str:
        """Return ``file`` below the root of the repository, as far as that is known."""
        return file if self.places is None else self.places.relative(file)

    def diff(self, fix: Fix) -> str:
        """Show the change of ``fix``; of an offered one, after those that are offered before it."""
        if not self._diffs:
            steps = successive(dict(self.texts), [found.patch for found in self.offered])
            for found, (before, after) in zip(self.offered, steps, strict=True):
                self._diffs[id(found)] = unified_diff(before, after)
        known = self._diffs.get(id(fix))
        if known is None:
            before, after = successive(dict(self.texts), [fix.patch])[0]
            known = unified_diff(before, after)
        return known
