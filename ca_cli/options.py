"""Options that several commands share are declared once, alone or as fields of an `OptionGroup`.

    @dataclass(frozen=True)
    class Recording(OptionGroup):
        enable: Annotated[bool, typer.Option("--enable", help=…)] = False

    @command
    def run(recording: Recording, …) -> None: …

Typer sees each field as an option of ``run``, which is called with the group made of them.
"""

from __future__ import annotations

import inspect
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, overload

import typer
from typer.core import TyperCommand

from ca_cli.plain_values import spare_coercion
from ca_cli.python_command import split_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self


def output_option(metavar: str, default: str, help: str) -> Any:
    """Return the option ``--output`` of a command that writes a file or a folder."""
    return typer.Option("--output", "-o", metavar=metavar, show_default=default, help=help)


Output = Annotated[Path | None, output_option("FILE", "stdout", "Write to a file; - is stdout.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that ca did not write.")]


class OptionGroup:
    """Base of the dataclasses whose fields are options; each has a default."""

    @classmethod
    def parameters(cls) -> list[inspect.Parameter]:
        """Return the options, as parameters of a command."""
        return list(inspect.signature(cls, eval_str=True).parameters.values())

    @classmethod
    def made_of(cls, values: dict[str, Any]) -> Self:
        """Return the group, given the values of all its options by name."""
        return cls(**values)


@overload
def command(function: Callable[..., None]) -> TyperCommand: ...
@overload
def command(*, cls: type[TyperCommand]) -> Callable[[Callable[..., None]], TyperCommand]: ...
def command(
    function: Callable[..., None] | None = None, *, cls: type[TyperCommand] = TyperCommand
) -> TyperCommand | Callable[[Callable[..., None]], TyperCommand]:
    """Make a function a command of `ca`, with the options of its groups in place of the groups."""
    if function is None:
        return partial(command, cls=cls)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    expanded = _expanded(function)
    alone.command(cls=cls)(expanded)
    made = cast("TyperCommand", typer.main.get_command(alone))
    spare_coercion(made, expanded.__annotations__)
    return made


def _expanded(command: Callable[..., None]) -> Callable[..., None]:
    groups: dict[str, type[OptionGroup]] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind = parameter.annotation
        if isinstance(kind, type) and issubclass(kind, OptionGroup):
            groups[parameter.name] = kind
            parameters += kind.parameters()
        else:
            parameters.append(parameter)

    @wraps(command)
    def with_groups(**values: Any) -> None:
        made = {
            name: kind.made_of({one.name: values.pop(one.name) for one in kind.parameters()})
            for name, kind in groups.items()
        }
        command(**values, **made)

    keywords = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    vars(with_groups)["__signature__"] = inspect.Signature(keywords)
    with_groups.__annotations__ = {one.name: one.annotation for one in keywords}
    return with_groups


class PythonCommandLine(TyperCommand):
    """Lets Typer parse our own options only; the rest is the interpreter's and the script's."""

    usage: tuple[str, ...]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what the usage line says after the command's name."""
        return ["[OPTIONS]", *self.usage]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse our options, and take everything else as it is."""
        own, interpreter = split_command(args, self.own_options(ctx))
        rest: list[str] = super().parse_args(ctx, [*own, "--", *interpreter])
        return rest

    def own_options(self, ctx: Any) -> dict[str, bool]:
        """Return our options as they are typed, and whether each takes a value."""
        return {
            name: not getattr(parameter, "is_flag", False)
            for parameter in self.get_params(ctx)
            if parameter.param_type_name == "option"
            for name in (*parameter.opts, *parameter.secondary_opts)
        }
