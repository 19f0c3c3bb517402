"""Split the arguments of `ca run` into our options and a command of the interpreter.

Everything up to the script is ours or the interpreter's; everything after it belongs to
the script and is not looked at. Typer cannot parse that: it knows nothing of ``-W error``
or ``-um package``, and would read the script's ``--help``. So this is done before Typer
sees the arguments, by the grammar that CPython itself uses (``Python/getopt.c``).

Pure functions: no file is opened and no option of ours is interpreted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ca_cli.errors import UsageError
from ca_engine.lazy_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TargetKind = Literal["file", "module", "code", "stdin"]

# The interpreter's, from SHORT_OPTS in Python/getopt.c. Not -V and -J: the first runs
# nothing, the second is reserved; -h and -? ask for help, and get ours.
FLAGS = frozenset("bBdEiIOPqRsStuvx")
FLAGS_WITH_VALUE = frozenset("WX")
HELP_FLAGS = frozenset("h?")
LONG_FLAG_WITH_VALUE = "--check-hash-based-pycs"


@dataclass(frozen=True)
class PythonCommand:
    """An interpreter command: ``python *flags *target *arguments``.

    ``name`` is the script's path, the module's name, or the code, as typed; ``-`` for stdin.
    """

    flags: tuple[str, ...]
    kind: TargetKind
    name: str
    arguments: tuple[str, ...]

    @property
    def target(self) -> tuple[str, ...]:
        """Return what stands between the flags and the script's own arguments."""
        if self.kind == "module":
            return ("-m", self.name)
        if self.kind == "code":
            return ("-c", self.name)
        # After `--` a file may be called anything, `-x.py` too.
        return ("--", self.name) if self.name.startswith("-") and self.name != "-" else (self.name,)

    def after_interpreter(self) -> tuple[str, ...]:
        """Return the arguments to start the interpreter with."""
        return (*self.flags, *self.target, *self.arguments)

    def short_flags(self) -> frozenset[str]:
        """Return the letters of all flags that are set: ``-Es`` and ``-E -s`` give E and s."""
        letters: set[str] = set()
        values = 0
        for flag in self.flags:
            if values:
                values -= 1
            elif flag == LONG_FLAG_WITH_VALUE:
                values = 1
            elif not flag.startswith("--"):
                read = _read_cluster(flag)
                letters.update(read.letters)
                values = int(read.needs_value)
        return frozenset(letters)


@dataclass(frozen=True)
class _Cluster:
    """One argument of short options, such as ``-uW`` or ``-Bmpackage``."""

    letters: str
    target: Literal["c", "m"] | None = None
    rest: str = ""
    needs_value: bool = False


def split_command(args: Sequence[str], options: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """Split what follows ``ca run`` into our own options and the interpreter's arguments.

    ``options`` are our own as they are typed (``--output``, ``-o``), and whether they take a
    value. ``-h`` is not asked for there: it gets our help.

    An option that neither of us knows goes to ours, so that Typer refuses it and says
    which one was meant. Raises `UsageError` for a short option that nobody knows, and for
    one that lacks its value.
    """
    own: list[str] = []
    interpreter: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "--" or arg == "-" or not arg.startswith("-"):
            return own, [*interpreter, arg, *rest]
        if arg.startswith("--"):
            _take_long(arg, rest, own, interpreter, options)
        elif (short := arg[:2]) in options and arg[1] not in HELP_FLAGS:
            own.append(arg)
            if options[short] and len(arg) == 2:
                own.append(_value_of(arg, rest))
        else:
            cluster = _read_cluster(arg)
            if HELP_FLAGS.intersection(cluster.letters):
                own.append("--help")
                continue
            interpreter.append(arg)
            if cluster.target is not None:
                return own, [*interpreter, *rest]
            if cluster.needs_value:
                interpreter.append(_value_of(arg, rest))
    return own, interpreter


def parse_python(args: Sequence[str]) -> PythonCommand:
    """Read the interpreter's arguments, as `split_command` returned them.

    Raises `UsageError` if they name nothing to run, or a flag lacks its value.
    """
    flags: list[str] = []
    rest = iter(args)
    for arg in rest:
        if arg == "-":
            return PythonCommand(tuple(flags), "stdin", arg, tuple(rest))
        if arg == "--":
            break
        if not arg.startswith("-"):
            return PythonCommand(tuple(flags), "file", arg, tuple(rest))
        if arg.startswith("--"):
            flags.extend([arg, _value_of(arg, rest)] if arg == LONG_FLAG_WITH_VALUE else [arg])
            continue
        cluster = _read_cluster(arg)
        if cluster.target is not None:
            if cluster.letters:
                flags.append("-" + cluster.letters)
            name = cluster.rest or _value_of("-" + cluster.target, rest)
            kind: TargetKind = "module" if cluster.target == "m" else "code"
            return PythonCommand(tuple(flags), kind, name, tuple(rest))
        flags.append(arg)
        if cluster.needs_value:
            flags.append(_value_of("-" + cluster.letters[-1], rest))
    for arg in rest:  # after `--`
        kind = "stdin" if arg == "-" else "file"
        return PythonCommand(tuple(flags), kind, arg, tuple(rest))
    raise UsageError("nothing to run: give a SCRIPT, -m MODULE, -c CODE, a FOLDER, or - for stdin")


def _take_long(
    arg: str,
    rest: Iterator[str],
    own: list[str],
    interpreter: list[str],
    options: Mapping[str, bool],
) -> None:
    if arg == LONG_FLAG_WITH_VALUE:
        interpreter += [arg, _value_of(arg, rest)]
        return
    own.append(arg)
    if options.get(arg, False):
        # Were it missing, Typer would take the `--` that we put behind it.
        own.append(_value_of(arg, rest))


def _read_cluster(arg: str) -> _Cluster:
    """Read one argument of short options. Raises `UsageError` for a letter nobody knows."""
    for position, letter in enumerate(arg[1:], start=1):
        rest = arg[position + 1 :]
        if letter == "c":
            return _Cluster(arg[1:position], "c", rest)
        if letter == "m":
            return _Cluster(arg[1:position], "m", rest)
        if letter in FLAGS_WITH_VALUE:
            return _Cluster(arg[1 : position + 1], None, rest, needs_value=not rest)
        if letter not in FLAGS and letter not in HELP_FLAGS:
            where = "" if len(arg) == 2 else f" in {arg}"
            raise UsageError(f"no such option: -{letter}{where} (see: ca run --help)")
    return _Cluster(arg[1:])


def _value_of(flag: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise UsageError(f"{flag} needs a value")
    return value
