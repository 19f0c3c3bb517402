"""What `ca` says of every frozen recording, beside it, and what of that is right: `make truth`.

    python -m tests.corpus.golden [NAME …] [--recorded FOLDER]
    python -m tests.corpus.golden --accept NAME … --because REASON
    python -m tests.corpus.golden --pack FOLDER [NAME …]

Without an option every recording in `frozen/` is replayed, in this process and without torch; with
``--recorded`` those in FOLDER, as `tests.corpus.score --recorded` keeps them. Each difference to a
golden file, and each rate that is lower than `rates.json` has it, is printed and makes the exit
code 1. Differences are accepted by the names of their programs and with a reason, which is written
to `accepted.md`; all of it is committed with the change that made them.

``--pack`` freezes the recordings in FOLDER of programs that have none, or whose sources have
changed, or that are named.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.corpus import frozen, replay, score

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.corpus import truth
    from tests.corpus.replay import Finding

RATES = frozen.FOLDER / "rates.json"
ACCEPTED = frozen.FOLDER / "accepted.md"
_ACCEPTED_HEAD = """\
# Why what is said of a program changed

Written by `python -m tests.corpus.golden --accept NAME … --because REASON`, the newest last.
"""
# Of one cell of a table.
_WIDTH = 70
# Group → rate → how many are right, and of how many.
Rates = dict[str, dict[str, list[int]]]


@dataclass(frozen=True)
class Difference:
    """A field of a program's golden file that is another one now."""

    program: str
    field: str
    before: str
    after: str


def recording_of(name: str) -> Path:
    """Return where the frozen recording of a program is kept."""
    return frozen.FOLDER / f"{name}{frozen.SUFFIX}"


def golden_of(name: str) -> Path:
    """Return where what is said of a program is kept."""
    return frozen.FOLDER / f"{name}.json"


def programs(names: Sequence[str] = (), folder: Path | None = None) -> list[truth.Program]:
    """Return the programs that are frozen, or recorded in ``folder``; those that are named."""
    return [
        one
        for one in replay.programs()
        if (not names or one.name in names)
        and (
            recording_of(one.name).is_file()
            if folder is None
            else score.is_recorded(one, folder / one.name)
        )
    ]


def read(name: str) -> list[Finding]:
    """Return what the golden file of a program says."""
    found: list[Finding] = json.loads(golden_of(name).read_text())
    return found


def write(name: str, findings: list[Finding]) -> None:
    """Write the golden file of a program."""
    golden_of(name).write_text(json.dumps(findings, indent=1, ensure_ascii=False) + "\n")


def replayed(program: truth.Program, folder: Path | None = None) -> list[Finding]:
    """Return what is said now of a frozen recording, or of the one in ``folder``.

    Raises ValueError if the program's sources are not those that were recorded.
    """
    told = replay.told(program)
    if folder is not None:
        return replay.findings(program, frozen.freeze(folder / program.name / "run", told))
    recording = frozen.unpack(recording_of(program.name).read_bytes())
    if recording.told != told:
        raise ValueError(f"{program.name} is not what was recorded: record and pack it again")
    return replay.findings(program, recording)


# ---- differences


def differences(name: str, before: list[Finding], after: list[Finding]) -> list[Difference]:
    """Compare what was said with what is said, finding by finding."""
    found = []
    pairs = _pairs(before, after)
    for old, new in pairs:
        one = old or new or {}
        if old is None or new is None:
            sides = [_headline(one) if side is one else "" for side in (old, new)]
            found.append(Difference(name, one["code"], *sides))
            continue
        texts = _texts(old), _texts(new)
        for field in dict.fromkeys([*texts[0], *texts[1]]):
            sides = [side.get(field, "") for side in texts]
            if sides[0] != sides[1]:
                found.append(Difference(name, f"{one['code']} {field}", *sides))
    both = [(old, new) for old, new in pairs if old is not None and new is not None]
    now = sorted(both, key=lambda pair: _index(after, pair[1]))
    if now != both:
        sides = [", ".join(old["code"] for old, _ in order) for order in (both, now)]
        found.append(Difference(name, "order", *sides))
    return found


def _pairs(
    before: list[Finding], after: list[Finding]
) -> list[tuple[Finding | None, Finding | None]]:
    """Pair the findings that are about the same: the more alike first; None where one has none."""
    pair_of: dict[int, Finding] = {}
    left = list(after)
    for fields in (("code", "location", "message"), ("code", "location"), ("code",)):
        for at, old in enumerate(before):
            alike = (new for new in left if all(new[name] == old[name] for name in fields))
            if at not in pair_of and (new := next(alike, None)) is not None:
                pair_of[at] = new
                del left[_index(left, new)]
    return [
        *((old, pair_of.get(at)) for at, old in enumerate(before)),
        *((None, new) for new in left),
    ]


def _index(findings: list[Finding], one: Finding) -> int:
    """Return where this very object is: two findings may say the same."""
    return next(at for at, other in enumerate(findings) if other is one)


def _headline(finding: Finding) -> str:
    return f"{finding['severity']} at {finding['location'] or 'no line'}: {finding['message']}"


def _texts(finding: Finding) -> dict[str, str]:
    """Return the fields of a finding, those of its patches by their number."""
    texts = {name: str(text) for name, text in finding.items() if name != "patches"}
    for number, patch in enumerate(finding.get("patches", ()), 1):
        for name, value in patch.items():
            told = "\n".join(value) if name == "diff" else str(value)
            texts[f"patch {number} {name}"] = told
    return texts


def table(found: Iterable[Difference]) -> str:
    """The differences as a Markdown table, cut to where the texts part."""
    rows = ["| program | field | before | after |", "|---|---|---|---|"]
    for one in found:
        before, after = _cut(one.before, one.after)
        rows.append(row(one.program, one.field, before or "–", after or "–"))
    return "\n".join(rows)


def row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cut(*texts: str) -> list[str]:
    """Cut texts to a width, from shortly before the first character in which they differ."""
    shortest = min(map(len, texts))
    start = next((at for at in range(shortest) if len({text[at] for text in texts}) > 1), shortest)
    start = max(0, start - 20) if max(map(len, texts)) > _WIDTH else 0
    return [
        ("…" if start and text else "")
        + text[start : start + _WIDTH].replace("\n", "⏎")
        + ("…" if len(text) > start + _WIDTH else "")
        for text in texts
    ]


# ---- rates


def rates(results: Iterable[score.Result]) -> Rates:
    """Return how often the findings are right, for each group of programs."""
    counted: Rates = {}
    for result in results:
        group = counted.setdefault(result.program.group, {})
        for name in result.of:
            right, of = group.get(name, (0, 0))
            group[name] = [right + result.right[name], of + result.of[name]]
    return {group: dict(sorted(own.items())) for group, own in sorted(counted.items())}


def judged(program: truth.Program, findings: list[Finding]) -> score.Result:
    """Compare a program's findings with the truth about it."""
    placed = [
        {**one, **{name: _as_place(one[name]) for name in ("location", "noticed_at")}}
        for one in findings
    ]
    result = score.Result(program, placed)
    score.judge(result)
    return result


def _as_place(text: str) -> dict[str, Any] | None:
    file, _, line = text.rpartition(":")
    return {"file": file, "line": int(line)} if file else None


def fallen(stored: Rates, now: Rates) -> list[str]:
    """Say which rates are lower than they were."""
    return [
        f"{group}: {name}: {right} of {of}, and was {was} of {was_of}"
        for group, own in stored.items()
        for name, (was, was_of) in own.items()
        for right, of in [now.get(group, {}).get(name, [0, 0])]
        if right * max(was_of, 1) < was * max(of, 1)
    ]


def read_rates() -> Rates:
    """Return the rates that may not fall."""
    found: Rates = json.loads(RATES.read_text()) if RATES.is_file() else {}
    return found


def write_rates(found: Rates, file: Path | None = None) -> None:
    """Write rates to ``file``, or as those of the golden files."""
    lines = [
        f" {json.dumps(group)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in own.items())
        + "\n }"
        for group, own in found.items()
    ]
    (file or RATES).write_text("{\n" + ",\n".join(lines) + "\n}\n")


# ---- the command


def pack(folder: Path, names: Sequence[str]) -> Iterator[str]:
    """Freeze the recordings in ``folder``, and yield what became of each."""
    for program in replay.programs():
        run = folder / program.name / "run"
        if not (run / "run.json").is_file() or (names and program.name not in names):
            continue
        own, told = recording_of(program.name), replay.told(program)
        if own.is_file() and not names and frozen.unpack(own.read_bytes()).told == told:
            continue
        if not score.is_recorded(program, run.parent):
            yield f"{program.name}: recorded from other sources"
            continue
        recording = frozen.freeze(run, told)
        findings = replay.findings(program, recording)
        whole = frozen.freeze(run, told, whole=True)
        if lost := differences(program.name, replay.findings(program, whole), findings):
            raise RuntimeError(f"what is left says something else:\n{table(lost)}")
        own.write_bytes(frozen.pack(recording))
        if not golden_of(program.name).is_file():
            write(program.name, findings)
        yield f"{program.name}: {len(findings)} findings, {own.stat().st_size / 1000:.1f} KB"


def accept(names: Sequence[str], because: str) -> list[Difference]:
    """Write the golden files of the programs anew, and the reason. Returns what was accepted."""
    accepted = []
    for program in programs(names):
        findings = replayed(program)
        accepted += differences(program.name, read(program.name), findings)
        write(program.name, findings)
    if accepted:
        fields: dict[str, list[str]] = {one.program: [] for one in accepted}
        for one in accepted:
            fields[one.program].append(one.field)
        note(because, [f"{name}: {', '.join(own)}" for name, own in fields.items()])
    return accepted


def note(because: str, changes: Iterable[str]) -> None:
    """Write what was accepted, and why, to `accepted.md`."""
    text = ACCEPTED.read_text() if ACCEPTED.is_file() else _ACCEPTED_HEAD
    lines = [f"\n- {because}\n", *(f"  - {one}\n" for one in changes)]
    ACCEPTED.write_text(text + "".join(lines))


def settle(known: Iterable[str]) -> list[str]:
    """Raise the stored rates to those of the golden files. Returns those that are lower.

    Programs that are not ``known`` yet count in them from now on, right or not.
    """
    results = [judged(one, read(one.name)) for one in programs()]
    names = {*known}
    lower = fallen(read_rates(), rates(one for one in results if one.program.name in names))
    if not lower:
        write_rates(rates(results))
    return lower


def check(
    names: Sequence[str] = (), folder: Path | None = None
) -> tuple[list[score.Result], list[Difference], list[str]]:
    """Replay programs. Returns what is right, what differs from before, and what is less right."""
    chosen = programs(names, folder)
    now = {program.name: replayed(program, folder) for program in chosen}
    results = [judged(program, now[program.name]) for program in chosen]
    kept = [program for program in chosen if golden_of(program.name).is_file()]
    before = {program.name: read(program.name) for program in kept}
    found = [
        difference for name in before for difference in differences(name, before[name], now[name])
    ]
    if not names and folder is None:
        return results, found, fallen(read_rates(), rates(results))
    stored = rates(judged(program, before[program.name]) for program in kept)
    return results, found, fallen(stored, rates(one for one in results if one.program in kept))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.golden", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--recorded", type=Path, metavar="FOLDER", help="replay the runs in it")
    parser.add_argument("--pack", type=Path, metavar="FOLDER", help="freeze the recordings in it")
    parser.add_argument("--accept", nargs="+", metavar="NAME", help="take what is said of it now")
    parser.add_argument("--because", metavar="REASON", help="why what is said changed")
    parser.add_argument("--failures", type=Path, metavar="FILE", help="write what is wrong here")
    arguments = parser.parse_args()
    if bool(arguments.accept) != bool(arguments.because):
        parser.error("--accept and --because belong together")
    if arguments.pack or arguments.accept:
        known = [one.name for one in programs()]
        if arguments.pack:
            for line in pack(arguments.pack, arguments.names):
                print(line, flush=True)
        else:
            print(table(accept(arguments.accept, arguments.because)))
        lower = settle(known)
    else:
        results, found, lower = check(arguments.names, arguments.recorded)
        print(
            f"{len(results)} of {len(replay.programs())} programs.\n",
            score.table(results),
            sep="\n",
        )
        if found:
            print("", table(found), sep="\n")
        if arguments.failures:
            arguments.failures.parent.mkdir(parents=True, exist_ok=True)
            told = f"{score.table(results)}\n\n{score.failures(results)}\n"
            arguments.failures.write_text(told)
        if found:
            lower.append(f"{len(found)} differences: mend what changed them, or --accept them")
    print(*lower, sep="\n")
    return int(bool(lower))


if __name__ == "__main__":
    sys.exit(main())
