"""Whether `ca` says the same of variants of a program that mean the same: how far it generalises.

    python -m tests.corpus.invariance [SEED …]
    python -m tests.corpus.invariance --settle [--because REASON]
    python -m tests.corpus.invariance --record FOLDER [SEED …]

A seed is a program with a frozen recording; `variants` makes its variants. Each was recorded once,
and is replayed without torch. Of a *crowded* one, which runs what its seed does and has an object
beside it with the same names, the seed's own recording is replayed: so every program has one. Of
each warning or error of the seed, a variant's findings have to
have the code, the place (where that line went), the sentence of the fix, and a patch that does the
same, or none; and no further warning.

Without an option the rates are printed, by kind of variant, with what differs; exit code 1 if one
is lower than `frozen/variants/rates.json` has it. ``--settle`` stores the rates as they are now; if
one is lower, with a reason, that goes to `frozen/accepted.md`. ``--record`` records variants of
seeds that are named or have some already, where there is none or its sources changed; it needs
torch. A variant in which torch compiles or captures another number of times is left out.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ca_reports.run.loading import load
from tests.corpus import frozen, golden, replay, score, truth, variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ca_reports.run.model import Run
    from tests.corpus.replay import Finding
    from tests.corpus.variants import Place, Variant

FOLDER = frozen.FOLDER / "variants"
SUFFIX = ".runs.zst"
RATES = FOLDER / "rates.json"
ASPECTS = ("code", "place", "fix", "patch", "no more")
CROWDED = "crowded"
_PLACE = re.compile(r"(\w+\.py):(\d+)")
_FILE = re.compile(r"--- a/(.+)")
_HUNK = re.compile(r"@@ -(\d+)")
# Kind → aspect → how many are the same, and of how many.
Rates = dict[str, dict[str, list[int]]]


@dataclass(frozen=True)
class Recorded:
    """Recordings of a seed's variants, by kind, and why kinds are left out.

    ``places`` are those of the finding that the variants were made for.
    """

    places: tuple[Place, ...] = ()
    recordings: Mapping[str, frozen.Frozen] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Result:
    """What a variant keeps of what is said of its seed."""

    seed: str
    kind: str
    same: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def compare(self, aspect: str, is_same: bool, otherwise: str) -> None:
        self.of[aspect] += 1
        self.same[aspect] += is_same
        if not is_same:
            self.differences.append(otherwise)


# ---- what is kept


def file_of(seed: str) -> Path:
    """Return where the recordings of a seed's variants are kept."""
    return FOLDER / f"{seed}{SUFFIX}"


def seeds() -> list[str]:
    """Return the names of the programs whose variants are recorded."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


def read(seed: str) -> Recorded:
    """Return what is recorded of a seed's variants: nothing, if there is no file."""
    if not file_of(seed).is_file():
        return Recorded()
    told = json.loads(frozen.decompress(file_of(seed).read_bytes()))
    return Recorded(
        tuple((file, line) for file, line in told["places"]),
        {kind: frozen.Frozen(**one) for kind, one in told["recordings"].items()},
        told["left_out"],
    )


def write(seed: str, recorded: Recorded) -> None:
    """Write the recordings of a seed's variants; the same bytes for the same."""
    recordings = {kind: vars(one) for kind, one in recorded.recordings.items()}
    told = {"places": recorded.places, "recordings": recordings, "left_out": recorded.left_out}
    plain = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    FOLDER.mkdir(exist_ok=True)
    file_of(seed).write_bytes(frozen.compress(plain))


# ---- comparing


def severe(findings: Iterable[Finding]) -> list[Finding]:
    return [one for one in findings if one["severity"] in score.SEVERE]


def compared(seed: str, kind: str, variant: Variant, findings: Sequence[Finding]) -> Result:
    """Compare what is said of a variant with what is said of its seed."""
    result = Result(seed, kind)
    back = _Back(variant)
    left = severe(findings)
    for one in severe(golden.read(seed)):
        places = variant.lines.get(_place(one["location"]), frozenset())
        fitting = [other for other in left if other["code"] == one["code"]]
        fitting.sort(key=lambda other: _place(other["location"]) not in places)
        headline = f"{one['code']} at {one['location']}"
        result.compare("code", bool(fitting), f"{headline} is not found")
        if not fitting:
            continue
        other = fitting[0]
        left = [each for each in left if each is not other]
        is_there = _place(other["location"]) in places or other["location"] == one["location"] == ""
        where = ", ".join(f"{file}:{line}" for file, line in sorted(places))
        result.compare("place", is_there, f"{headline} ({where}) is at {other['location']}")
        for aspect, told in (("fix", lambda each: each["fix"]), ("patch", _patch)):
            before, after = back.text(told(one)), back.text(told(other))
            result.compare(aspect, before == after, f"{headline}: {before!r} → {after!r}")
    further = "; ".join(f"{one['code']} at {one['location']}" for one in left)
    result.compare("no more", not left, f"also said: {further}")
    return result


def _place(text: str) -> Place:
    file, _, line = text.rpartition(":")
    return file, int(line) if line else 0


def _patch(finding: Finding) -> str:
    """Return what the first patch does; of a finding without one that there is none."""
    patches = finding.get("patches") or [{"what": "none"}]
    return str(patches[0]["what"])


class _Back:
    """The seed's names and lines for those of a variant, in text."""

    def __init__(self, variant: Variant) -> None:
        self._names = variant.names
        self._lines: dict[Place, list[Place]] = defaultdict(list)
        for place, there in sorted(variant.lines.items()):
            for one in there:
                self._lines[one].append(place)
        every = "|".join(map(re.escape, variant.names)) or r"(?!)"
        self._name = re.compile(rf"\b(?:{every})\b")

    def text(self, text: str) -> str:
        """Return a text without the numbers of lines, and with the names of the seed.

        A sentence of the seed is not changed otherwise: none of its names is a variant's.
        """
        named = self._name.sub(lambda match: self._names[match[0]], text)
        return _PLACE.sub("LINE", named)


def program_of(program: truth.Program, variant: Variant, folder: Path) -> truth.Program:
    """Return a variant as a program, its sources written below ``folder``."""
    score.written(dict(variant.sources), folder / program.name)
    return truth.Program(
        folder / program.name, program.about, program.kind, [],
        options=program.options, cold=program.cold, script=program.script, fails=program.fails,
    )  # fmt: skip


def results(names: Sequence[str] = ()) -> Iterator[Result]:
    """Replay the variants of seeds. Raises ValueError if one is not what was recorded."""
    programs = {program.name: program for program in replay.programs()}
    for name in names or seeds():
        recorded, seed = read(name), programs[name]
        made = variants.variants(variants.Seed(seed.sources, recorded.places))
        for kind, recording in recorded.recordings.items():
            with tempfile.TemporaryDirectory() as folder:
                program = program_of(seed, made[kind], Path(folder))
                if recording.told != replay.told(program):
                    raise ValueError(f"{name}, {kind}: changed since it was recorded: --record it")
                findings = replay.findings(program, recording, is_of_one_line=False)
            yield compared(name, kind, made[kind], findings)


def crowded(names: Sequence[str] = ()) -> Iterator[Result]:
    """Replay recordings of programs, those named or all, as if another object were beside."""
    for program in golden.programs():
        if names and program.name not in names:
            continue
        said = golden.read(program.name)
        variant = variants.crowded(variants.Seed(program.sources, sorted(_touched(said))))
        if variant is None:
            continue
        recording = frozen.unpack(golden.recording_of(program.name).read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            own = program_of(program, variant, Path(folder))
            findings = replay.findings(own, recording, is_of_one_line=False)
        yield compared(program.name, CROWDED, variant, findings)


def _touched(said: Iterable[Finding]) -> set[Place]:
    """Return the lines that findings name, and those that their patches change."""
    found: set[Place] = set()
    for one in severe(said):
        found |= {_place(one["location"]), _place(one["noticed_at"])}
        for patch in one.get("patches", ()):
            file, at = "", 0
            for line in patch["diff"]:
                if match := _FILE.match(line):
                    file = match[1]
                elif match := _HUNK.match(line):
                    at = int(match[1])
                elif line[:1] in ("-", " "):
                    found |= {(file, at)} if line[0] == "-" else set()
                    at += 1
                elif line[:1] == "+":
                    found |= {(file, at), (file, at - 1)}
    return found


def rates(found: Iterable[Result]) -> Rates:
    """Return how often each aspect is the same, by kind."""
    counted: Rates = {}
    for result in found:
        own = counted.setdefault(result.kind, {aspect: [0, 0] for aspect in ASPECTS})
        for aspect, pair in own.items():
            pair[0] += result.same[aspect]
            pair[1] += result.of[aspect]
    return {kind: counted[kind] for kind in (*variants.KINDS, CROWDED) if kind in counted}


def table(found: Sequence[Result]) -> str:
    """The rates as a Markdown table, a row for each kind."""
    rows = ["| | variants | " + " | ".join(ASPECTS) + " |", "|---" * (len(ASPECTS) + 2) + "|"]
    kinds = Counter(result.kind for result in found)
    by_kind = rates(found)
    total = {
        aspect: [sum(own[aspect][side] for own in by_kind.values()) for side in (0, 1)]
        for aspect in ASPECTS
    }
    for kind, own in [*by_kind.items(), ("all", total)]:
        number = len(found) if kind == "all" else kinds[kind]
        cells = [f"{same} of {of}" for same, of in own.values()]
        rows.append(f"| {kind} | {number} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def misses(found: Iterable[Result]) -> str:
    """What differs, variant by variant."""
    lines = []
    for result in found:
        if result.differences:
            lines += [
                f"{result.seed}, {result.kind}",
                *(f"    {one}" for one in result.differences),
            ]
    return "\n".join(lines)


def read_rates() -> Rates:
    """Return the rates that may not fall."""
    found: Rates = json.loads(RATES.read_text()) if RATES.is_file() else {}
    return found


def settle(found: Rates, because: str = "", *, known: Rates | None = None) -> list[str]:
    """Store the rates, unless those of what is ``known`` are lower and no reason is given.

    ``known``: of the variants that were recorded before; by default all. Returns what is lower.
    """
    lower = golden.fallen(read_rates(), found if known is None else known)
    if lower and not because:
        return lower
    golden.write_rates(found, RATES)
    if lower:
        golden.note(because, [f"variants, {line}" for line in lower])
    return []


# ---- recording


def record(name: str, folder: Path) -> Iterator[str]:
    """Record those variants of a seed that are not kept, and yield what became of each."""
    (program,) = (one for one in replay.programs() if one.name == name)
    kept = read(name)
    places = kept.places if file_of(name).is_file() else _places_of(program)
    made = variants.variants(variants.Seed(program.sources, places))
    expected = _counts(program, frozen.unpack(golden.recording_of(name).read_bytes()))
    recordings: dict[str, frozen.Frozen] = {}
    left_out: dict[str, str] = {}
    for kind, variant in made.items():
        with tempfile.TemporaryDirectory() as own:
            changed = program_of(program, variant, Path(own))
            told = replay.told(changed)
            recording = kept.recordings.get(kind)
            if recording is None or recording.told != told:
                try:
                    run = score.recorded(changed, folder / kind) / "run"
                    recording = frozen.freeze(run, told)
                except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                    left_out[kind] = f"fails: {(str(error).splitlines() or ['?'])[-1]}"
                    yield f"{name}, {kind}: {left_out[kind]}"
                    continue
            if (counts := _counts(changed, recording)) == expected:
                recordings[kind] = recording
            else:
                left_out[kind] = f"torch makes {counts}, of the seed {expected}"
            yield f"{name}, {kind}: {left_out.get(kind, 'the same counts')}"
            shutil.rmtree(folder / kind / name, ignore_errors=True)
        write(name, Recorded(places, recordings, left_out))


def _record(names: Sequence[str], folder: Path) -> list[str]:
    """Record what is missing, and let it count from now on. Returns which rates fell before it."""
    known = {(seed, kind) for seed in seeds() for kind in read(seed).recordings}
    for name in names or seeds():
        for line in record(name, folder):
            print(line, flush=True)
    found = [*results(), *crowded()]
    of_known = [
        result for result in found if result.kind == CROWDED or (result.seed, result.kind) in known
    ]
    return settle(rates(found), known=rates(of_known))


def _places_of(program: truth.Program) -> tuple[Place, ...]:
    """Return the first warning's line to change and where it was noticed, in files of its own."""
    told = severe(golden.read(program.name))[:1]
    places = [_place(one[key]) for one in told for key in ("location", "noticed_at")]
    return tuple(dict.fromkeys(place for place in places if place[0] in program.sources))


def _counts(program: truth.Program, recording: frozen.Frozen) -> dict[str, int]:
    """Return how often torch captured, compiled and recompiled in a recording."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        frozen.thaw(recording, program.folder, program.sources, run)
        return _counts_of(load([run], jobs=1))


def _counts_of(run: Run) -> dict[str, int]:
    return {
        "captures": sum(len(one.captures) for one in run.processes),
        "recompiles": sum(one.is_recompile for each in run.processes for one in each.compiles),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.invariance", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SEED")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="record what is missing")
    parser.add_argument("--settle", action="store_true", help="store the rates as they are")
    parser.add_argument("--because", metavar="REASON", default="", help="why one is lower")
    arguments = parser.parse_args()
    if arguments.record:
        lower = _record(arguments.names, arguments.record.absolute())
        print(*lower, sep="\n")
        return int(bool(lower))
    found = [*results(arguments.names), *crowded(arguments.names)]
    print(table(found), misses(found), sep="\n\n")
    if arguments.settle:
        lower = settle(rates(found), arguments.because)
    else:
        lower = [] if arguments.names else golden.fallen(read_rates(), rates(found))
    print(*lower, sep="\n")
    return int(bool(lower))


if __name__ == "__main__":
    sys.exit(main())
