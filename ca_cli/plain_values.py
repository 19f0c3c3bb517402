"""Spares a command Typer's coercion of values that need none.

Newer Typers coerce every value by pydantic, even None and a text. Importing it takes as long as
importing Typer.
"""

from __future__ import annotations

from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer.core import TyperCommand, TyperGroup


def spare_coercion(command: TyperCommand | TyperGroup, annotations: dict[str, Any]) -> None:
    """Leave to Typer only those values of `command` that are not yet of their type."""
    of_typer = command.get_params

    def get_params(context: Any) -> list[Any]:
        parameters: list[Any] = of_typer(context)
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                annotation = annotations.get(parameter.name, bool)  # Typer's own is --help
                vars(parameter)["process_value"] = _processing(parameter, _kind(annotation))
        return parameters

    vars(command)["get_params"] = get_params


def _kind(annotation: Any) -> Any:
    """Return the type of a value, or of each of several: of ``list[str] | None`` ``str``."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, list):
        return _kind(parts[0])
    if origin in (Union, UnionType):
        (kind,) = (part for part in parts if part is not NoneType)
        return _kind(kind)
    return annotation


def _processing(parameter: Any, kind: Any) -> Callable[[Any, Any], Any]:
    coerce = parameter.process_value
    is_many = parameter.nargs == -1 or getattr(parameter, "multiple", False)
    choices = get_args(kind) if get_origin(kind) is Literal else ()

    def is_plain(value: Any) -> bool:
        return type(value) is kind or (kind is Path and type(value) is str) or value in choices

    def process_value(context: Any, value: Any) -> Any:
        if value is None and not parameter.required:
            value = () if is_many else None
        elif is_many and isinstance(value, list | tuple) and value and all(map(is_plain, value)):
            value = [Path(each) if kind is Path else each for each in value]
        elif not is_many and is_plain(value):
            value = Path(value) if kind is Path else value
        else:
            return coerce(context, value)
        return (
            value if parameter.callback is None else parameter.callback(context, parameter, value)
        )

    return process_value
