"""Record samples with the torch of another Python: do they get their code and their line?

``python -m tests.recorded_with PYTHON [CODE…]``, where ``PYTHON -m ca_cli`` must work. Each sample
says in a comment what `ca explain-recompiles` has to say of which of its lines. Ends with 1 if one
does not get it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "sample_scripts"
# Forwards, backwards, hooks, modes and breaks; of each family what needs the recorder most.
CODES = (
    "CA101", "CA102", "CA201", "CA202", "CA203", "CA206", "CA208", "CA301", "CA501",
    "CA602", "CA701", "CA702", "CA704", "CA801", "CA802",
)  # fmt: skip
# What torch itself writes is enough for these: the recorder is off below torch 2.8.
OF_THE_FORWARD = ("CA102", "CA501", "CA701", "CA702", "CA704", "CA801")


def main(python: str, *codes: str) -> int:
    """Record and explain each sample; return the exit code."""
    missed = 0
    for code in codes or codes_for(python):
        (script,) = SAMPLES.glob(f"{code.lower()}_*_bad.py")
        try:
            found = recorded(python, script)
        except subprocess.CalledProcessError as error:
            print(f"{code} WRONG: `ca {error.cmd[3]}` ended with {error.returncode}", flush=True)
            missed += 1
            continue
        wanted = marked(script, code)
        hit = any((code, line) in found for line in wanted)
        missed += not hit
        print(f"{code} {'right' if hit else f'WRONG: {found}, not at {wanted}'}", flush=True)
    return int(missed > 0)


def codes_for(python: str) -> tuple[str, ...]:
    """Return the codes of samples that the torch of ``python`` has to get."""
    asked = (
        "import torch; from ca_engine.version import is_recorded as f; print(f(torch.__version__))"
    )
    told = subprocess.run([python, "-c", asked], stdout=subprocess.PIPE, text=True, check=True)
    return CODES if told.stdout.strip() == "True" else OF_THE_FORWARD


def marked(script: Path, code: str) -> list[int]:
    """Return the numbers of the lines that ``code`` is to be said of."""
    lines = script.read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if f"# <- {code}" in line]


def recorded(python: str, script: Path) -> list[tuple[str, int | None]]:
    """Return code and line of each finding that the other Python has of a run there."""
    with tempfile.TemporaryDirectory() as folder:
        run = str(Path(folder) / "run")
        ca = [python, "-m", "ca_cli"]
        recording = [*ca, "run", "--quiet", "--no-report", "-o", run, str(script)]
        subprocess.run(recording, stdout=subprocess.DEVNULL, check=True)
        told = subprocess.run(
            [*ca, "explain-recompiles", run, "--format", "json"], stdout=subprocess.PIPE, check=True
        )
    findings = json.loads(told.stdout)["findings"]
    places = [(each["code"], each["location"] or each["noticed_at"]) for each in findings]
    return [(code, place and place["line"]) for code, place in places]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
