"""Run → analysis: all that can be said of a run, worked out once for every renderer and gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ca_engine.lazy_classes import dataclass
from ca_reports.costs.ranks import compare_ranks
from ca_reports.diagnosis.diagnose import diagnose
from ca_reports.diagnosis.limitations import limitations
from ca_reports.facts.argument_names import CallNames
from ca_reports.facts.costs import Costs
from ca_reports.facts.process import all_facts
from ca_reports.facts.summary import summarize
from ca_reports.program.files import SourceFiles
from ca_reports.run.gather.collector import gc_paused
from ca_reports.sentences.captures import guard_in_short
from ca_reports.sentences.inherent import WHY_INHERENT
from ca_reports.sentences.places import run_cwd
from ca_reports.words.places import Places, repository_root

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from ca_reports.causes.findings import Diagnosis
    from ca_reports.costs.caches.starts import Start
    from ca_reports.costs.ranks import RankComparison
    from ca_reports.diagnosis.limitations import Limitation
    from ca_reports.facts.dynamic_shapes import DynamicDimension
    from ca_reports.facts.process import ProcessFacts
    from ca_reports.facts.recompile_limits import RecompileLimit
    from ca_reports.facts.summary import Summary
    from ca_reports.run.model import Capture, Compile, Run
    from ca_reports.words.editors import Editor


@dataclass(frozen=True, slots=True)
class Analysis:
    """A run and what was worked out of it.

    ``facts`` has one entry a process, in the order of ``run.processes``; an autograd graph is
    decoded there, the first time that somebody asks. ``ranks`` is None if fewer than two ranks
    are known. ``places`` names files from the root of the repository, ``files`` is
    the source that may be read, ``editor`` what links to source open (None: the system decides).
    ``start`` is the run's use of caches beside an earlier run's, None if nobody compared them.
    """

    run: Run
    facts: tuple[ProcessFacts, ...]
    costs: Costs
    diagnosis: Diagnosis
    summary: Summary
    ranks: RankComparison | None
    limitations: tuple[Limitation, ...]
    places: Places
    files: SourceFiles
    editor: Editor | None = None
    start: Start | None = None

    @property
    def limits(self) -> tuple[RecompileLimit, ...]:
        """Return the recompile limits that functions hit, of all processes."""
        return tuple(found for facts in self.facts for found in facts.limits)

    @property
    def dynamic_dimensions(self) -> tuple[DynamicDimension, ...]:
        """Return the dimensions of arguments that varied or were dynamic, of all processes."""
        names = CallNames(self.files)
        return tuple(
            replace(
                one, names=names.of(one.location, [one.source, *(name for name, _ in one.together)])
            )
            for facts in self.facts
            for one in facts.dynamic_dimensions
        )

    def guard_that_failed(self, compiled: Compile) -> str:
        """Return the guard that made a recompile necessary, in one line.

        Torch names one of each earlier compile: this is the one that findings tell of. Of a
        recompile that every program of its kind has, why it has it comes behind.
        """
        known = self.facts[compiled.process].decisive_guards.get(compiled.key)
        failed = known or compiled.failed_guards[0]
        guard = guard_in_short(failed) or "not in this log"
        why = self.costs.inherent(compiled)
        return guard if why is None else f"{guard} ({WHY_INHERENT[why]})"

    def nodes(self, capture: Capture) -> tuple[Mapping[str, Any], ...]:
        """Return the autograd nodes of ``capture`` (``schema.AutogradNode``); empty if unknown."""
        return self.facts[capture.process].by_id[capture.id].nodes


def price(run: Run, facts: Iterable[ProcessFacts]) -> Costs:
    """Price each event of a run by what is known of its processes."""
    every = tuple(facts)
    inherent = {key: why for found in every for key, why in found.inherent.items()}
    repeated = [
        compiled.key
        for found in every
        for group in found.repeated_first_compiles
        for compiled in group[1:]
    ]
    return Costs(run, inherent, repeated)


def analyze(
    run: Run,
    ignore: Collection[str] = (),
    *,
    root: Path | None = None,
    editor: Editor | None = None,
    secrets: Sequence[str] = (),
) -> Analysis:
    """Work everything out; findings of the codes in ``ignore`` are only counted.

    Files are named from ``root``, by default the root of the repository of the current folder.
    ``secrets`` are the project's names of secrets, whose literals no excerpt shows.
    """
    with gc_paused():
        facts = tuple(all_facts(run))
        costs = price(run, facts)
        files = SourceFiles.of(run, secrets)
        return Analysis(
            run=run,
            facts=facts,
            costs=costs,
            diagnosis=diagnose(facts, costs, files, ignore),
            summary=summarize(run, costs),
            ranks=compare_ranks(run, costs),
            limitations=limitations(run),
            places=Places(repository_root(Path.cwd()) if root is None else root, run_cwd(run)),
            files=files,
            editor=editor,
        )
