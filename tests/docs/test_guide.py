"""Every command in the guide and in the README is run, and prints what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus import packed
from tests.docs.guide import ROOT, Command, File, NotRun, matches, run, steps
from tests.once import of_session

if TYPE_CHECKING:
    from pathlib import Path

PAGES = sorted(
    str(page.relative_to(ROOT))
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    if any(isinstance(step, Command) for step in steps(page.read_text("utf-8")))
)


# Together they take some minutes. `make test` runs the README and what needs no run.
LONG = frozenset(
    (
        "docs/agents.md",
        "docs/beside-torch.md",
        "docs/ci.md",
        "docs/dataframes.md",
        "docs/diagnosis.md",
        "docs/getting-started.md",
        "docs/index.md",
        "docs/json.md",
        "docs/naming-steps.md",
        "docs/pytest.md",
        "docs/reading-the-report.md",
        "docs/stalls.md",
        "docs/troubleshooting.md",
    )
)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_session(tmp_path_factory, "pages")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.long] if page in LONG else []) for page in PAGES],
)
def test_the_commands_of_a_page(page: str, tmp_path: Path, shared: Path) -> None:
    text = (ROOT / page).read_text("utf-8")
    if "$ cp -r tests/corpus/" in text and not packed.PROGRAMS.is_dir():
        pytest.skip("the corpus is in no sdist")
    run(text, tmp_path, shared)


def test_the_guide_has_commands() -> None:
    assert {"README.md", "docs/getting-started.md", "docs/pytest.md"} <= set(PAGES)
    assert set(PAGES) > LONG


PAGE = """\
Text.

<!-- file: folder/a.py -->
```python
print("hello 17")
```

```console
$ python folder/a.py
hello 3
$ echo one; \\
> echo two
```

<!-- exit: 3 -->
```console
$ true
$ exit 3
```

<!-- not run: needs a cluster -->
```console
$ rm everything
```

```python
not_a_command()
```
"""


def test_what_a_page_asks_for() -> None:
    assert steps(PAGE) == [
        File("folder/a.py", 'print("hello 17")\n'),
        Command("python folder/a.py\n", "hello 3", 9),
        Command("echo one; \\\necho two\n", "", 11),
        Command("true\n", "", 17),
        Command("exit 3\n", "", 18, 3),
        NotRun("needs a cluster", "$ rm everything\n", 22),
    ]


def test_a_page_is_run(tmp_path: Path) -> None:
    run(PAGE, tmp_path)
    assert (tmp_path / "folder" / "a.py").is_file()
    assert (tmp_path / "sample_scripts" / "gpt_ragged.py").is_file()


def test_pages_share_the_run_that_they_begin_with(tmp_path: Path) -> None:
    code = "import time; open('stamp', 'w').write(str(time.time_ns())); print('done')"
    begin = (
        "<!-- not run: installs -->\n```console\n$ pip install ca\n```\n\n"
        f'```console\n$ ca run --quiet -o run -c "{code}"\ndone\n'
    )
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    run(begin + "$ cat stamp\n17\n```\n", tmp_path / "a", tmp_path / "shared")
    run(begin + "$ rm stamp\n```\n", tmp_path / "b", tmp_path / "shared")
    run(begin + "```\n", tmp_path / "c", tmp_path / "shared")
    stamps = [(tmp_path / name / "stamp") for name in "abc"]
    assert [stamp.exists() for stamp in stamps] == [True, False, True]
    assert stamps[0].read_text() == stamps[2].read_text()
    with pytest.raises(AssertionError, match="and not\nnothing"):
        run(begin.replace("\ndone", "\nnothing") + "```\n", tmp_path / "c", tmp_path / "shared")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```console\n$ exit 1\n```\n", "ended with 1, not 0"),
        ("```console\n$ echo a b\na c\n```\n", "and not"),
        ("<!-- exit: 2 -->\n```console\n$ true\n```\n", "ended with 0, not 2"),
    ],
)
def test_a_page_that_is_wrong_fails(page: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=message):
        run(page, tmp_path)


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<!-- ran: never -->\n```console\n$ true\n```\n", "no such directive: ran"),
        ("<!-- not run -->\n```console\n$ true\n```\n", "no reason"),
        ("<!-- exit: 2 -->\n```python\n1\n```\n", "no console"),
        ("```console\nhello\n$ true\n```\n", "output before the first command"),
    ],
)
def test_a_page_that_cannot_be_meant_is_refused(page: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        steps(page)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("3 captures", "12 captures", True),
        ("3 captures", "3 hits", False),
        ("1.2 s lost", "95 ms lost", True),
        ("a b\nc", "a\n   b c\n", True),
        ("a\n...\nd", "a b c d", True),
        ("a\n...\nd", "a b c d e", False),
        ("a\n...", "a b", True),
        ("...\nb", "a b", True),
        ("a", "a b", False),
        ("ca-runs/train-20261121-105736", "ca-runs/train-20270101-000000", True),
        ("train.py:3", "train.py:30", True),
        ("── 1 ──", "──────── 2 ──────", False),
        ("CA101 x", "CA201 x", False),
        ("", "", True),
    ],
)
def test_what_counts_as_the_same_output(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same
