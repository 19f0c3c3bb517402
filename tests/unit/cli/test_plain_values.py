"""Values that need no coercion are those that Typer would have made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
import typer

from ca_cli.options import command
from tests.integration.conftest import PYTHON, execute

if TYPE_CHECKING:
    from collections.abc import Callable

given: dict[str, Any] = {}


def declared() -> Callable[..., None]:
    def declared(
        names: Annotated[list[str] | None, typer.Argument()] = None,
        output: Annotated[Path | None, typer.Option("--output", "-o")] = None,
        engine: Annotated[Literal["ca", "torch"], typer.Option("--engine")] = "ca",
        ignore: Annotated[list[str] | None, typer.Option("--ignore")] = None,
        folders: Annotated[list[Path] | None, typer.Option("--folder")] = None,
        steps: Annotated[int, typer.Option("--steps", min=1)] = 5,
        share: Annotated[float | None, typer.Option("--share")] = None,
        quiet: Annotated[bool, typer.Option("--quiet")] = False,
        dynamic: Annotated[bool | None, typer.Option("--dynamic/--no-dynamic")] = None,
        title: Annotated[str, typer.Option("--title")] = "none",
    ) -> None:
        given.clear()
        given.update(locals())

    return declared


def outcome(made: Any, line: str) -> Any:
    try:
        with made.make_context("x", line.split()) as context:
            made.invoke(context)
    except Exception as error:
        return type(error).__name__, str(error)
    return {name: (type(value), value) for name, value in given.items()}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "a b",
        "-o out.txt --engine torch --ignore CA1 --ignore CA2 --folder a --folder b",
        "--steps 3 --share 0.5 --quiet --no-dynamic --title x a",
        "--dynamic",
        "--steps 0",
        "--steps many",
        "--engine mine",
        "--share x",
        "--title",
        "--no-such",
    ],
)
def test_a_command_gets_what_typer_gives_it(line: str) -> None:
    plain = typer.Typer(add_completion=False, rich_markup_mode=None)
    plain.command()(declared())

    assert outcome(command(declared()), line) == outcome(typer.main.get_command(plain), line)


def test_an_argument_that_is_missing_is_missed() -> None:
    def needs(name: str) -> None: ...

    with pytest.raises(Exception, match=r"(?i)missing"), command(needs).make_context("x", []):
        pass


@pytest.mark.parametrize(
    "line",
    [
        ["explain-recompiles", "nowhere"],
        ["check", "nowhere"],
        ["report", "nowhere", "-o", "page.html"],
        ["run", "-o", "out", "nowhere.py"],
    ],
)
def test_a_command_without_numbers_needs_no_pydantic(line: list[str], tmp_path: Path) -> None:
    code = "import sys; from ca_cli.main import main; main(sys.argv[1:]); print(*sys.modules)"

    done = execute([PYTHON, "-c", code, *line], cwd=tmp_path)

    assert "nowhere" in done.stderr
    assert "typer" in done.stdout.split()
    assert not {name for name in done.stdout.split() if name.startswith("pydantic")}
