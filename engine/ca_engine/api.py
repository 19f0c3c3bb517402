"""The engine from Python: for notebooks, tests, and scripts that want it by name.

`enable`, `disable`, `install` and `record` take effect when they are called, like
``torch.set_grad_enabled``; used in a ``with`` statement, they end with the block.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from os import PathLike
from types import TracebackType
from typing import Any, ClassVar, Generic, TypeVar

from torch import fx

from ca_engine import installation, trace
from ca_engine.cache import CachedCapture, CacheInfo, cache_info, clear_cache
from ca_engine.compat import compiled_autograd
from ca_engine.lowering import modes
from ca_engine.lowering.background import switch
from ca_engine.notebook import Recording, in_progress, summary
from ca_engine.settings import Engine, Settings

__all__ = [
    "CacheInfo",
    "CachedCapture",
    "background",
    "cache_info",
    "clear_cache",
    "disable",
    "enable",
    "install",
    "record",
    "reset",
    "summary",
    "uninstall",
]

CompilerFn = Callable[[fx.GraphModule], Callable[..., Any]]
T = TypeVar("T")


class Switch(Generic[T]):
    """A change that is made now, and undone by `undo` or at the end of a ``with`` block."""

    # Torch's switches are generators, which undo their change when they are collected. One
    # called as a function is referred to by nobody else.
    _in_effect: ClassVar[list[Switch[Any]]] = []

    def __init__(self, change: AbstractContextManager[T]) -> None:
        self._stack = ExitStack()
        self._value = self._stack.enter_context(change)
        self._in_effect.append(self)

    def undo(self) -> None:
        """Undoes the change; does nothing the second time."""
        self.__exit__(None, None, None)

    def __enter__(self) -> T:
        return self._value

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self in self._in_effect:
            self._in_effect.remove(self)
            self._stack.__exit__(kind, error, traceback)


def enable(
    compiler_fn: CompilerFn,
    *,
    dynamic: bool = False,
    lowering: bool | None = None,
    background: bool = False,
) -> Switch[None]:
    """Capture every following backward with our engine and compile it.

    ``compiler_fn`` takes the captured `torch.fx.GraphModule`, whose signature is
    ``(inputs, sizes, scalars, hooks, packed_data) -> list of gradients``, and returns what is
    to run in its place; ``torch.compile`` fits. With ``dynamic`` sizes are graph inputs from
    the first capture on; without, only once they have changed. With ``lowering`` captured graphs
    take the short way to their backend where that is exact; None leaves it to whoever installed
    the engine, or does as `install` does. With ``background`` they do as well, and where the
    backend is inductor it compiles in another process: until it has, a graph runs as it was
    captured, with the results of backend ``eager``.

    Like torch's own switches it holds for the whole process, and nested uses must end in
    the reverse order of their beginning. The engine itself stays installed afterwards, so that
    a loop may do this at every step; `uninstall` takes it out.

        >>> import torch, ca_engine
        >>> x = torch.ones(3, requires_grad=True)
        >>> with ca_engine.enable(torch.compile):
        ...     (x * 2).sum().backward()
    """
    installation.install(Settings(lowering=modes.by_default()))
    enabled = compiled_autograd.enable(compiler_fn, dynamic=dynamic)
    if lowering is None and not background:
        return Switch(enabled)
    mode = modes.asked_for(lowering, background=background)

    @contextmanager
    def enabled_with_lowering() -> Any:
        with modes.switched(mode, background=background), enabled:
            yield

    return Switch(enabled_with_lowering())


def background() -> Switch[None]:
    """Inductor compiles in another process what ``torch.compile`` compiles from now on.

    Until it has, a graph runs as backend ``aot_eager`` runs it, with its results to the bit; then
    inductor's takes over between two calls, the forward with its backward. Nothing else is
    changed: backwards stay as they are. `enable` and `install` do so as well for captured
    backwards, with their ``background``. Off with torch 2.12 and older, which a warning says.

        >>> import torch, ca_engine
        >>> with ca_engine.background():
        ...     torch.compile(torch.sin)(torch.ones(3))
    """
    return Switch(switch.switched(on=True))


def disable() -> Switch[None]:
    """Run every following backward in eager mode again."""
    return Switch(compiled_autograd.disable())


def reset() -> None:
    """Forgets all captured graphs and turns compiled autograd off.

    Raises AssertionError when called from within a compiled backward, a hook for instance.
    """
    compiled_autograd.reset()


def install(
    *, engine: Engine | None = None, lowering: bool | None = None, background: bool = False
) -> Switch[None]:
    """Make every way into compiled autograd go through our engine and recorder.

    That is ``torch._dynamo.config.compiled_autograd``, the ``_enable`` context and whatever
    else torch offers. ``engine="torch"`` keeps torch's own engine and only records; None is
    ours. What is installed already stays, and a warning says so where another engine was asked
    for. With a torch that the engine was not tested with, torch's own is recorded instead, which
    the record says, and a warning where ``engine="ca"`` was asked for. With ``lowering``, which is
    the default unless the environment variable ``CA_LOWERING`` says another, captured graphs take
    the short way to their backend where that is exact. ``background`` is `enable`'s.
    """
    if lowering is None:
        lowering = modes.by_default()
    asked = Settings(engine=engine or "ca", lowering=lowering, background=background)
    return Switch(_installed(asked, insist=engine is not None))


def _installed(settings: Settings, *, insist: bool) -> AbstractContextManager[None]:
    @contextmanager
    def installed() -> Any:
        already = installation.is_installed()
        installation.install(settings, insist=insist)
        error: BaseException | None = None
        try:
            yield
        except BaseException as raised:
            error = raised
            raise
        finally:
            if not already:
                installation.uninstall(error)

    return installed()


def uninstall() -> None:
    """Give torch its own compiler back. Graphs captured so far stay usable."""
    installation.uninstall()


def record(path: str | PathLike[str], *, engine: Engine | None = None) -> Switch[Recording]:
    """Record captures and backwards into the folder ``path``, which is made if missing.

    For notebooks and tests, where ``ca run`` can't be used; ``ca explain-recompiles PATH``
    and ``ca report PATH`` read it. The folder gets one structured trace of this process. A
    ``with`` statement binds it as a `Path` that a notebook shows as the summary of what was
    recorded; what is raised within ends up in the record.
    ``engine`` is `install`'s. Where it is installed by this call, graphs are lowered only if
    ``CA_LOWERING`` or `enable` asks for it, as under ``ca run``: recording is to show what they
    cost without. Recordings can be nested and must end in the reverse order of their beginning.
    Raises OSError if the folder can't be made.

    A backward that was captured before the recording began hits what torch's cache holds: it is
    counted as a hit of a capture that the record does not describe. `clear_cache` before, and
    it is captured again.

        >>> import torch, ca_engine
        >>> with ca_engine.record("my-run"), ca_engine.enable(torch.compile):
        ...     torch.ones(3, requires_grad=True).sum().backward()
    """

    @contextmanager
    def recording() -> Any:
        folder = Recording(path)
        folder.mkdir(parents=True, exist_ok=True)
        installation.settle()  # what is not written yet belongs to the traces so far
        alone = not trace.has_file()
        with trace.written_to(folder) as handler:
            # An installation of its own writes the begin and end of the process by itself.
            within = installation.is_installed()
            with (
                _installed(Settings(engine=engine or "ca"), insist=engine is not None),
                installation.recorded(handler, alone=alone) if within else nullcontext(),
            ):
                in_progress.append(place := folder.absolute())
                try:
                    yield folder
                finally:
                    in_progress.remove(place)

    return Switch(recording())
