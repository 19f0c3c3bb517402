"""A Python that has imported torch already, and forks once for each program it is to run.

Most of the time of a short recorded program goes into importing torch. `tests.warm` starts this
file once for all workers of a test session, and they ask it over a socket; what it runs, in a fork,
finds torch imported and everything else as `python` or `ca` would: arguments, environment, standard
streams, `__main__`, atexit, exit code. What it cannot show is a start-up: tests of that use
`execute`.

    server.py SERVE-FD              listens there, until nobody is connected any more
    server.py SOCKET ca run x.py    asks the server at SOCKET for that, and ends as it ends

Standard library at the top only, so that the server alone says what is imported.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import gc
import importlib
import io
import json
import os
import pkgutil
import random
import runpy
import select
import signal
import socket
import sys
import threading
import types
from pathlib import Path
from typing import Any, NoReturn

# torch's, then what `ca` and pytest need; absent where nothing but torch is installed.
IMPORTED = ("torch._dynamo", "torch._inductor.compile_fx", "networkx")
IMPORTED_IF_THERE = ("pytest", "jinja2", "rich.console", "pygments.lexers.python")
PACKAGES_IF_THERE = ("ca_cli", "ca_reports")
# What runs when it is imported, and what imports pandas, which few commands need.
NOT_IMPORTED = {"ca_cli.__main__", "ca_cli.commands.export", "ca_reports.output.dataframes"}
STREAMS = 3
# What torch reads of its environment once, when it is imported, is the server's. These are read
# later, or again in the fork.
READ_LATER = {"TORCH_TRACE", "TORCH_LOGS", "TORCHINDUCTOR_CACHE_DIR"}
# How the end of a run is started (`ca_engine.boot`): nothing of the user's environment is for it.
ISOLATED = ["-I", "-S", "-c"]
REPOSITORY = Path(__file__).resolve().parents[2]


class Job:
    """What the fork of a request runs: a command line, as the shell would start it."""

    def __init__(self, request: dict[str, Any], server: socket.socket) -> None:
        """The process takes the request's folder and environment, and asks ``server`` for more."""
        self.command: list[str] = request["command"]
        self.server = server
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])

    def start(self) -> types.CodeType | None:
        """Make this process what the command's would be; return the script's code, if any.

        The code is for the caller to run at the top of the stack, as an interpreter does.
        """
        program, *arguments = self.command
        if Path(program).name == "ca":
            self._let_the_server_end_runs()
            return self._start_ca(program, arguments)
        if arguments[: len(ISOLATED)] == ISOLATED:
            sys.orig_argv, sys.argv = self.command, ["-c", *arguments[len(ISOLATED) + 1 :]]
            return compile(arguments[len(ISOLATED)], "<string>", "exec")
        return self._start_python(arguments)

    def _let_the_server_end_runs(self) -> None:
        """The interpreter that writes a run's report at its end is a fork of the server too.

        It imports all that reads logs, most of the time of a short run.
        """
        if not hasattr(os, "pidfd_open"):  # which the server waits with
            return
        genuine = os.posix_spawn

        def posix_spawn(path: str, argv: list[str], env: dict[str, str], **more: Any) -> int:
            if argv[1 : len(ISOLATED) + 1] != ISOLATED:
                return genuine(path, argv, env, **more)
            # What comes first is no input, and the stream that both outputs go to.
            _, (_, output, _), _ = more["file_actions"]
            request = {"command": argv, "cwd": str(Path.cwd()), "env": dict(env)}
            with Path(os.devnull).open("r+b", 0) as nothing:
                output = output or nothing.fileno()  # the program has no stderr
                send(self.server, request, [nothing.fileno(), output, output])
            return receive_number(self.server)

        vars(os)["posix_spawn"] = posix_spawn

    def _start_ca(self, program: str, arguments: list[str]) -> types.CodeType | None:
        replaced: list[list[str]] = []

        def execve(path: str, argv: list[str], environment: dict[str, str]) -> NoReturn:
            replaced.append(argv)
            os.environ.clear()
            os.environ.update(environment)
            raise _Replaced

        sys.argv = [program, *arguments]
        sys.path[0] = str(Path(program).parent)
        genuine = os.execve
        vars(os)["execve"] = execve
        main = importlib.import_module("ca_cli.main").main
        try:
            sys.exit(main())
        except _Replaced:
            vars(os)["execve"] = genuine
        return self._start_python(replaced[0][1:])

    def _start_python(self, arguments: list[str]) -> types.CodeType | None:
        _read_torch_environment()
        path = os.environ.get("PYTHONPATH", "")
        sys.path[1:1] = [entry for entry in path.split(os.pathsep) if entry]
        sys.modules.pop("sitecustomize", None)
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module("sitecustomize")
        kind, *rest = arguments
        sys.orig_argv = [sys.executable, *arguments]
        if kind == "-m":
            sys.argv, sys.path[0] = rest, str(Path.cwd())
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
            return None
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        if kind == "-c":
            sys.argv, sys.path[0] = ["-c", *rest[1:]], ""
            return compile(rest[0], "<string>", "exec")
        assert not kind.startswith("-"), f"a warm Python has no {kind}: use `execute`"
        sys.argv, sys.path[0] = arguments, str(Path(kind).absolute().parent)
        vars(main)["__file__"] = kind
        with io.open_code(kind) as file:
            return compile(file.read(), kind, "exec")


class _Replaced(BaseException):
    """In the place of `execve`, which never returns."""


def _read_torch_environment() -> None:
    """What torch reads of the environment when it is imported: where its logs go."""
    logging = importlib.import_module("torch._logging._internal")
    for handler in ("LOG_TRACE_HANDLER", "LAZY_TRACE_HANDLER"):
        if hasattr(logging, handler):
            setattr(logging, handler, None)
    logging.trace_log.handlers.clear()
    logging._init_logs()


def send(connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Ask the server at the other end for a process with these three standard streams."""
    descriptors = array.array("i", streams)
    body = json.dumps(request).encode()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)]
    connection.sendmsg([len(body).to_bytes(8, "big")], rights)
    connection.sendall(body)


def ask(path: str, command: list[str]) -> int:
    """Have the server at ``path`` run ``command`` for this process; return its exit code.

    Signals go on to it. What is about how Python starts, which is over there, starts here.
    """
    program, *arguments = command
    first = arguments[0] if arguments else "-"
    has_flags = Path(program).name != "ca" and first.startswith("-") and first != "-c"
    if has_flags or any(n.startswith("TORCH") and n not in READ_LATER for n in os.environ):
        os.execv(program, command)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        request = {"command": command, "cwd": str(Path.cwd()), "env": dict(os.environ)}
        send(connection, request, [*range(STREAMS)])
        child = receive_number(connection)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: os.kill(child, number))
        return receive_number(connection)


def receive_number(connection: socket.socket) -> int:
    """A process id, or an exit code. Raises EOFError where the other end is gone."""
    received = b""
    while len(received) < 8:
        part = connection.recv(8 - len(received))
        if not part:
            raise EOFError
        received += part
    return int.from_bytes(received, "big", signed=True)


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """One request with its standard streams; None once nobody asks any more."""
    descriptors = array.array("i")
    size = socket.CMSG_LEN(STREAMS * descriptors.itemsize)
    head, ancillary, _, _ = connection.recvmsg(8, size)
    if len(head) < 8:
        return None
    for _level, _kind, data in ancillary:
        descriptors.frombytes(data)
    body = b""
    length = int.from_bytes(head, "big")
    while len(body) < length:
        body += connection.recv(length - len(body))
    return json.loads(body), list(descriptors)


def serve(listener: socket.socket) -> Job:
    """Have a fork answer each who connects, until they are gone. Returns in forks, with a job."""
    ended, ends = os.pipe()
    os.set_blocking(ended, False)
    os.set_blocking(ends, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # so that the next line hears of it
    signal.set_wakeup_fd(ends, warn_on_full_buffer=False)
    answering: set[int] = set()
    waited_for: list[Any] = [listener, ended]
    while True:
        # Nobody connects where who started this died before.
        ready, _, _ = select.select(waited_for, [], [], None if answering else 600)
        if listener in ready:
            asking, _ = listener.accept()
            child = os.fork()
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for each in (ended, ends, listener.detach()):
                    os.close(each)
                return _answer(asking)
            asking.close()
            answering.add(child)
        with contextlib.suppress(BlockingIOError):
            os.read(ended, 1 << 16)
        answering -= {child for child in answering if os.waitpid(child, os.WNOHANG)[0]}
        if not answering:
            Path(listener.getsockname()).unlink(missing_ok=True)
            os._exit(0)


def _answer(connection: socket.socket) -> Job:
    """Answer requests one after the other. Returns in the forks alone, with what to run."""
    while (asked := _receive(connection)) is not None:
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            connection.close()
            ours.close()
            return _forked(*asked, theirs)
        theirs.close()
        for stream in asked[1]:
            os.close(stream)
        connection.sendall(child.to_bytes(8, "big", signed=True))
        while (more := _asks_before_it_ends(child, ours)) is not None:
            ending = os.fork()
            if ending == 0:
                connection.close()
                return _forked(*more, ours)
            for stream in more[1]:
                os.close(stream)
            os.waitpid(ending, 0)
            with contextlib.suppress(OSError):  # what asked was killed
                ours.sendall(ending.to_bytes(8, "big", signed=True))
        ours.close()
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        connection.sendall(code.to_bytes(8, "big", signed=True))
    os._exit(0)


def _forked(request: dict[str, Any], streams: list[int], server: socket.socket) -> Job:
    """In a fork: take the streams, and be as random as a process of one's own."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if vars(sys)[name].seekable() != _is_seekable(number):
            vars(sys)[name] = vars(sys)[f"__{name}__"] = _opened(number, vars(sys)[name])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()
    return Job(request, server)


def _is_seekable(stream: int) -> bool:
    try:
        os.lseek(stream, 0, os.SEEK_CUR)
    except OSError:
        return False
    return True


def _opened(number: int, before: io.TextIOWrapper) -> io.TextIOWrapper:
    """Open a standard stream as the interpreter does; ``before`` was of another kind."""
    raw = io.FileIO(number, "w" if number else "r", closefd=False)
    vars(raw)["name"] = before.name
    buffer: Any = io.BufferedWriter(raw) if number else io.BufferedReader(raw)
    return io.TextIOWrapper(
        buffer,
        encoding=before.encoding,
        errors=before.errors,
        line_buffering=raw.isatty() or before.name == "<stderr>",
    )


def _asks_before_it_ends(
    child: int, connection: socket.socket
) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for a request of ``child``; None once it has ended, or closed its end."""
    if not hasattr(os, "pidfd_open"):
        return None
    ended = os.pidfd_open(child)
    waited_for: list[Any] = [connection, ended]
    try:
        ready, _, _ = select.select(waited_for, [], [])
    finally:
        os.close(ended)
    return _receive(connection) if connection in ready else None


def look_rarely_at_objects() -> None:
    """Keep what is there out of the garbage collector's walks.

    And have it look at young objects at 20,000 of them, not at 700: a tenth of the time of tests
    that compile.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, *gc.get_threshold()[1:])


def without_guard_latency() -> None:
    """Let torch not measure how long guards take, after every compile: 35 CPU milliseconds.

    It flushes the processor's caches first. All that is lost is a figure in its logs, which
    nothing of ours reads.
    """
    guards = importlib.import_module("torch._dynamo.guards")
    if hasattr(guards, "profile_guard_manager"):
        vars(guards)["profile_guard_manager"] = lambda *_: 0.0


def _import() -> None:
    # Where ca is installed these are on the path already; behind all else they do no harm.
    sys.path += [str(REPOSITORY / folder) for folder in ("engine", "reports", "")]
    for name in IMPORTED:
        importlib.import_module(name)
    for name in [*IMPORTED_IF_THERE, *_modules_of_ca(), *_modules_of_a_first_capture()]:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    without_guard_latency()
    _end_workers()
    # A fork has the forking thread alone: what the others hold locked stays so.
    assert threading.active_count() == 1
    look_rarely_at_objects()
    _end_without_taking_torch_apart()


def _end_workers() -> None:
    """End the workers that torch 2.8 starts when it is imported, and the thread that hears them."""
    if threading.active_count() == 1:
        return
    importlib.import_module("torch._inductor.async_compile").shutdown_compile_workers()
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(10)


def _modules_of_ca() -> list[str]:
    found = []
    for name in PACKAGES_IF_THERE:
        with contextlib.suppress(ImportError):
            path = importlib.import_module(name).__path__
            found += [each.name for each in pkgutil.walk_packages(path, f"{name}.")]
    return [name for name in found if name not in NOT_IMPORTED]


def _modules_of_a_first_capture() -> list[str]:
    """What is loaded after a capture and a compile, in the order in which torch imports it.

    A fork does both: ids, counters and caches of the programs to come begin as ever.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        torch = importlib.import_module("torch")
        compiled_autograd = importlib.import_module("torch._dynamo.compiled_autograd")
        with compiled_autograd._enable(torch.compile(backend="aot_eager")):
            torch.compile(torch.sin, backend="aot_eager")(
                torch.ones(2, requires_grad=True)
            ).sum().backward()
        with os.fdopen(writer, "w") as names:
            names.write("\n".join(sys.modules))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as names:
        found = names.read().split()
    os.waitpid(child, 0)
    return found


def _end_without_taking_torch_apart() -> None:
    """Let ``exit`` end here, before the destructors of what was imported: 0.2 CPU seconds.

    What programs register later runs before, such as the note of the exit code. glibc calls
    ``handler(status, argument)`` for ``on_exit`` and ``handler(argument)`` for `__cxa_atexit`,
    the last one first: ``fflush(NULL)``, then ``_exit(status)``.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):
        libc.on_exit(ctypes.cast(libc._exit, ctypes.c_void_p), None)
        libc.__cxa_atexit(ctypes.cast(libc.fflush, ctypes.c_void_p), None, None)


def _printed(error: BaseException) -> int:
    """What the interpreter does with an exception that nobody caught; returns its exit code."""
    # As an interpreter has it: without the frames that started the program.
    while error.__traceback__ and error.__traceback__.tb_frame.f_code.co_filename == __file__:
        error.__traceback__ = error.__traceback__.tb_next
    for name, value in (
        ("last_type", type(error)),
        ("last_value", error),
        ("last_traceback", error.__traceback__),
        ("last_exc", error),
    ):
        setattr(sys, name, value)
    sys.excepthook(type(error), error, error.__traceback__)
    return 1


def _leave(status: object, *, interrupted: bool = False) -> NoReturn:
    """End as an interpreter does, but let the kernel free what was imported.

    To take every module apart would copy all the memory that is shared with the server.
    """
    vars(threading)["_shutdown"]()
    atexit._run_exitfuncs()
    if status is not None and not isinstance(status, int):
        sys.stderr.write(f"{status}\n")
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    # Not `os._exit`: what C libraries do at the end happens, such as noting the exit code.
    ctypes.CDLL(None).exit(status or 0)
    raise AssertionError


def _end_as(code: int) -> NoReturn:
    """End with an exit code, or by the signal whose number it is below zero."""
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        _end_as(ask(sys.argv[1], sys.argv[2:]))
    for _number in (signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE, signal.SIGINT):
        signal.signal(_number, signal.SIG_IGN if _number == signal.SIGPIPE else signal.SIG_DFL)
    _import()
    _job = serve(socket.socket(fileno=int(sys.argv[1])))
    _status: object = 0
    _interrupted = False
    try:
        _code = _job.start()
        if _code is not None:
            exec(_code, vars(sys.modules["__main__"]))
    except SystemExit as _error:
        _status = _error.code
    except BaseException as _error:
        _status = _printed(_error)
        _interrupted = isinstance(_error, KeyboardInterrupt)
    _leave(_status, interrupted=_interrupted)
