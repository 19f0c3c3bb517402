"""Runs at the start of every Python process of a run, and at the end of its root.

Standard library only, and as little of it as possible: this module runs before the user's
program, also in processes that have nothing to do with torch. It registers one import
hook, which installs the engine right after ``torch._dynamo`` was imported; a process that
never imports it pays nothing.

In the user's process it is loaded apart from its package (see ``_boot/sitecustomize.py``),
so nothing of `ca_engine` may be imported at the top.

``ca run`` put into the environment: ``CA_RUN``, the run folder, absolute; ``CA_RUN_ROOT_PID``,
the process whose end is the end of the run; and `ca_engine.settings` as JSON. A program that runs
with other texts for some of its files puts ``CA_TEXTS`` there for those that it starts.
"""

# Importing `pathlib` takes longer than the rest of the boot:
# ruff: noqa: PTH100, PTH118, PTH120, SIM105

import atexit
import os
import sys
import time

TYPE_CHECKING = False  # importing `typing` takes longer, too
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

BOOT_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_boot")

INTERRUPTED = 130
_SIGINT = 2  # the same everywhere; `signal` is not imported yet

# Ctrl-C ends it without a traceback.
_FINISH_CODE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.path[:] = sys.argv.pop(1).split(os.pathsep)
from ca_cli.finish import main
sys.exit(main())
"""


def start() -> None:
    """Wait for torch; in the root process, also arrange for the end of the run.

    Called by `sitecustomize`, before anything of the user's. Without ``CA_RUN`` in the
    environment it does nothing.
    """
    environment = dict(os.environ)  # as it is now: the program may change its own
    run = environment.get("CA_RUN")
    if not run:
        return
    if environment.get("CA_RUN_ROOT_PID") == str(os.getpid()):
        # Registered before anything of the user's, so it is called last.
        atexit.register(_finish, run, environment, sys.executable, list(sys.path))
    if environment.get("CA_TEXTS"):
        _serve_other_texts(environment["CA_TEXTS"])
    began, own = time.time(), os.getpid()

    def install() -> None:
        # A child that was forked before it imported torch began later than its interpreter.
        _install(environment, began if os.getpid() == own else None)

    _when_imported("torch._dynamo", install)
    # Parsing JSON would cost every process. A quote within a string of it is escaped, so these
    # are the keys.
    settings = environment.get("CA_RUN_SETTINGS", "")
    if '"try_steps":' in settings:
        _seed()
    if '"enable":true' in settings:
        # A plain eager script never imports it, and then nothing would be compiled.
        _when_imported("torch", _import_dynamo)


def _serve_other_texts(place: str) -> None:
    """Run the program's files as the one that started this process does: see `_overlay`."""
    from importlib.machinery import SourceFileLoader

    file = os.path.join(os.path.dirname(BOOT_FOLDER), "_overlay", "overlay.py")
    name = "ca_engine._overlay.overlay"
    loader = SourceFileLoader(name, file)
    overlay = type(sys)(name)
    overlay.__file__ = file
    loader.exec_module(overlay)
    overlay.serve_spawned(place)


def _seed() -> None:
    """Begin with the same numbers in each run that is compared; the script may seed them itself."""
    import random

    random.seed(0)
    _when_imported("numpy.random", lambda: sys.modules["numpy.random"].seed(0))
    _when_imported("torch", lambda: sys.modules["torch"].manual_seed(0))


# --- waiting for torch --------------------------------------------------------------------


def _when_imported(name: str, then: "Callable[[], None]") -> None:
    if name in sys.modules:  # a .pth file of some package imported it before us
        then()
    else:
        sys.meta_path.insert(0, ImportHook(name, then))


class ImportHook:
    """A finder that calls `then` once the module `name` was executed, and removes itself.

    It finds nothing by itself: it asks the finders behind it, and replaces ``exec_module``
    on the loader they return, on that one object and until its first use. So spec and
    loader of the module are the genuine ones for pickling, reloading and resources.
    """

    def __init__(self, name: str, then: "Callable[[], None]") -> None:
        self._name = name
        self._then = then

    def find_spec(
        self,
        fullname: str,
        path: "Sequence[str] | None" = None,
        target: "ModuleType | None" = None,
    ) -> "ModuleSpec | None":
        """Return what the other finders return, watched; None for any other name."""
        if fullname != self._name or self not in sys.meta_path:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            find_spec = getattr(finder, "find_spec", None)  # very old ones have none
            spec: ModuleSpec | None = find_spec(fullname, path, target) if find_spec else None
            if spec is not None:
                self._watch(spec)
                return spec
        return None

    def _watch(self, spec: "ModuleSpec") -> None:
        loader = spec.loader
        execute = getattr(loader, "exec_module", None)
        if loader is None or execute is None or isinstance(loader, type):
            # A class as loader serves every module of its kind: nothing to put a hook on.
            _warn(f"not recording this process: {self._name} is loaded by {loader!r}")
            return

        def exec_module(module: "ModuleType") -> None:
            vars(loader).pop("exec_module", None)
            execute(module)
            self._executed(module)

        # The interpreter leaves the import system's own frames out of tracebacks, which it
        # knows by these names. This is one: a failing `import torch` must look as ever.
        exec_module.__code__ = exec_module.__code__.replace(
            co_filename="<frozen importlib._bootstrap>", co_name="_call_with_frames_removed"
        )
        loader.exec_module = exec_module  # type: ignore[method-assign]

    def _executed(self, module: "ModuleType") -> None:
        if self not in sys.meta_path:
            return  # another spec of the same module came first
        sys.meta_path.remove(self)
        parent, _, child = self._name.rpartition(".")
        if parent in sys.modules:
            # The import system is about to do this; `then` must find the finished state.
            vars(sys.modules[parent]).setdefault(child, module)
        self._then()


def _import_dynamo() -> None:
    try:
        __import__("torch._dynamo")
    except Exception as error:
        _warn(f"not recording this process: torch._dynamo cannot be imported: {error!r}")


def _install(environment: "Mapping[str, str]", began: "float | None") -> None:
    try:
        _make_importable()
        from dataclasses import replace

        from ca_engine.version import is_recorded

        if not is_recorded(sys.modules["torch"].__version__):
            return  # torch's own trace is all that there is, which the end of the run says
        from ca_engine.installation import install
        from ca_engine.settings import Settings

        settings = replace(Settings.from_environment(environment), started=began)
        install(settings)
        if not settings.quiet and environment.get("CA_RUN_ROOT_PID") == str(os.getpid()):
            from ca_engine.installation import show_stalls

            show_stalls()
        if settings.try_steps is not None:
            from ca_engine.trial import limit

            limit.start(settings)
    except Exception as error:
        _warn(f"not recording this process: {type(error).__name__}: {error}")


def _make_importable() -> None:
    """Put our folder at the end of the path if this interpreter does not have `ca`."""
    try:
        import ca_engine  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "ca_engine":
            raise
        sys.path.append(os.path.dirname(os.path.dirname(BOOT_FOLDER)))


def _warn(text: str) -> None:
    """Print one line, and with CA_DEBUG=1 the traceback of the exception being handled."""
    if sys.stderr is None:
        return
    sys.stderr.write("ca: " + " ".join(text.split()) + "\n")
    if os.environ.get("CA_DEBUG") == "1" and sys.exc_info()[0] is not None:
        import traceback

        traceback.print_exc()


# --- the end of the run -------------------------------------------------------------------


def _finish(run: str, environment: "Mapping[str, str]", executable: str, path: "list[str]") -> None:
    """Write the report and print the summary, in an interpreter of their own.

    The last thing that the root process does before Python shuts down. Whatever happens
    here, the program's exit code stays what it is. `executable` and `path` are those of
    `sys` as they were before the program: what lies beside the script must not be imported
    in place of Python's own modules.
    """
    if environment.get("CA_RUN_ROOT_PID") != str(os.getpid()):
        return  # a forked child that ends by `sys.exit` runs its parent's handlers
    exit_code = _exit_code_of_exception()
    exit_code_file = os.path.join(run, "exit_code")
    try:
        # From now on nobody else completes the run: see `ca_cli.sentinel`.
        os.close(os.open(exit_code_file, os.O_CREAT | os.O_WRONLY, 0o666))
    except OSError:
        pass  # no space, or the folder is gone, which whoever completes it says
    try:
        _run_finish(run, environment, executable, path, exit_code)
    except KeyboardInterrupt:
        pass  # the user does not want to wait for the report
    except Exception as error:
        _warn(f"the run could not be completed: {error!r}")
    if exit_code == INTERRUPTED:
        # Python now dies by SIGINT, provided that no code was compiled since: an import
        # could do that (`namedtuple` calls `eval`), and the exit code would be 1.
        return
    try:
        sys.path[:] = path
        _note_exit_code(exit_code_file)
    except Exception:
        pass  # no glibc, no ctypes, no space: the exit code stays unknown


def _run_finish(
    run: str,
    environment: "Mapping[str, str]",
    executable: str,
    path: "list[str]",
    exit_code: "int | None",
) -> None:
    # Isolated and without site: nothing that the user's environment or site sets up for
    # the program happens, or is printed, a second time.
    command = [executable, "-I", "-S", "-c", _FINISH_CODE, os.pathsep.join(path), run]
    if exit_code is not None:
        command += ["--exit-code", str(exit_code)]
    _flush_standard_streams()
    # Not `subprocess`: whatever is imported here could be a file beside the script.
    child = os.posix_spawn(
        executable,
        command,
        environment,
        file_actions=standard_streams(),
        setsigdef=[_SIGINT],
    )
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass  # the program ignores SIGCHLD, or has a handler that waits for every child


def _exit_code_of_exception() -> "int | None":
    """Return the exit code that an uncaught exception leads to; None without one."""
    # `last_exc` is new in Python 3.12; neither is set by SystemExit.
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if error is None:
        return None
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def standard_streams() -> "list[tuple[int, int, str, int, int] | tuple[int, int, int]]":
    """Return what `os.posix_spawn` does first: no input, all output to our stderr, if any.

    A program started with ``2>&-`` has no stderr, and its descriptor 2 may be any file
    that it opened later; so the descriptor alone says nothing.
    """
    stream = sys.__stderr__
    try:
        console = None if stream is None else stream.fileno()
        if console is not None:
            os.fstat(console)
    except (OSError, ValueError):  # closed meanwhile
        console = None
    nowhere = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0)
    source = 0 if console is None else console
    return [nowhere] + [(os.POSIX_SPAWN_DUP2, source, target) for target in (1, 2)]


def _flush_standard_streams() -> None:
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None and not stream.closed:
            try:
                stream.flush()
            except (OSError, ValueError):
                pass  # Python meets it again in a moment, and tells the user


def _note_exit_code(path: str) -> None:
    """Arrange for the C library to write the exit code as one byte to `path`.

    Python's atexit handlers run before the exit code stands. glibc calls what was given to
    ``on_exit`` as ``handler(status, argument)``, and ``int fputc(int c, FILE *stream)``
    is a native function of just that signature, so no Python code has to be alive then.
    ``FILE`` buffers are flushed after these handlers. A death in between leaves the file
    empty: unknown. Were it called a second time, in a forked child, the file would have
    two bytes: unknown as well.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    on_exit = libc.on_exit  # AttributeError where the C library is another one
    libc.fopen.restype = ctypes.c_void_p
    libc.fopen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    on_exit.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    stream = libc.fopen(os.fsencode(path), b"wbe")
    if stream:
        on_exit(ctypes.cast(libc.fputc, ctypes.c_void_p), stream)
