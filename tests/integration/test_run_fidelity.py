"""Nobody can tell a script under `ca run` from one under plain python.

Each test runs the same thing both ways (`same` compares stdout, stderr and exit code) and
then looks at the outcome, so that two equal failures do not pass for a success.
"""

from __future__ import annotations

import json
import platform
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.integration.conftest import CA, PYTHON, Outcome, clean_environment, take_signals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.integration.conftest import Runner

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="ca run is a parent there")

needs_on_exit = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc tells the exit code at exit"
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text).lstrip("\n"), "utf-8")
    return path


def script(work: Path, text: str) -> str:
    write(work / "script.py", text)
    return "script.py"


# --- what the script sees -----------------------------------------------------------------

SHOW_ARGV = "import sys; print(sys.argv)"


def test_argv_is_untouched(work: Path, same: Runner) -> None:
    args = ["--help", "-o", "x", "--quiet", "--engine", "-c", "--", "-", "", "a b", "ü", "*"]

    outcome = same(script(work, SHOW_ARGV), *args)

    assert outcome.stdout == f"{['script.py', *args]}\n"


def test_main_module(work: Path, same: Runner) -> None:
    outcome = same(
        script(
            work,
            """
            import sys
            main = sys.modules["__main__"]
            print(__name__, __file__, __spec__, __package__, __doc__, __builtins__)
            print(main.__dict__ is globals(), type(__loader__).__name__, sorted(globals()))
            """,
        )
    )

    assert outcome.stdout.startswith("__main__ ")
    assert outcome.stderr == ""


SHOW_PATH = """
    import json, os, sys
    print(json.dumps([sys.path, os.getcwd(), sys.flags, sys.warnoptions, sorted(sys._xoptions)]))
    print("sitecustomize" in sys.modules, [p for p in sys.path_importer_cache if "_boot" in p])
"""


@pytest.mark.parametrize(
    "pythonpath",
    [
        None,
        "extra:/nowhere",
        ":extra",
        *(pytest.param(each, marks=pytest.mark.long) for each in ("", "extra", "extra:")),
    ],
)
def test_path_is_the_same_to_the_last_entry(
    work: Path, same: Runner, pythonpath: str | None
) -> None:
    (work / "extra").mkdir()
    env = {} if pythonpath is None else {"PYTHONPATH": pythonpath}
    write(work / "sub" / "script.py", SHOW_PATH)

    outcome = same("sub/script.py", env=env)

    path, cwd, *_ = json.loads(outcome.stdout.splitlines()[0])
    assert path[0] == str(work / "sub")
    assert cwd == str(work)
    assert (str(work / "extra") in path) == ("extra" in (pythonpath or ""))
    assert outcome.stdout.splitlines()[1].endswith("[]")


def test_interpreter_flags(work: Path, same: Runner) -> None:
    write(work / "script.py", SHOW_PATH)
    flags = ["-u", "-W", "error", "-Wignore::UserWarning", "-X", "dev", "-OB", "-Xutf8", "-s"]

    outcome = same(*flags, "script.py")

    *_, warn_options, x_options = json.loads(outcome.stdout.splitlines()[0])
    assert "error" in warn_options
    assert "ignore::UserWarning" in warn_options
    assert x_options == ["dev", "utf8"]


def test_warnings_as_errors(work: Path, same: Runner) -> None:
    outcome = same("-W", "error", script(work, "import warnings; warnings.warn('careful')"))

    assert outcome.code == 1
    assert outcome.stderr.endswith("UserWarning: careful\n")


def test_modules_beside_the_script_are_its_own(work: Path, same: Runner) -> None:
    # The names of our own folders, and of what our own commands import.
    names = ["engine", "reports", "rich", "typer", "orjson", "typing", "subprocess", "ctypes"]
    for name in names:
        write(work / f"{name}.py", f"print('my own {name}')")
    imports = "\n".join(f"import {name}" for name in ["engine", "reports", "rich", "orjson"])

    outcome = same(script(work, imports))

    assert outcome.stdout.splitlines() == [
        "my own engine",
        "my own reports",
        "my own rich",
        "my own orjson",
    ]
    assert outcome.stderr == ""


def test_standard_input(work: Path, same: Runner) -> None:
    outcome = same(script(work, "print(input(), input())"), stdin="one\ntwo\n")

    assert outcome.stdout == "one two\n"


def test_end_of_standard_input(work: Path, same: Runner) -> None:
    outcome = same(script(work, "input()"))

    assert outcome.code == 1
    assert outcome.stderr.endswith("EOFError: EOF when reading a line\n")


# --- ways to name a script ----------------------------------------------------------------


def test_module(work: Path, same: Runner) -> None:
    write(work / "package" / "__init__.py", "")
    write(work / "package" / "train.py", "import sys; print(__spec__.name, sys.argv, sys.path[0])")

    outcome = same("-m", "package.train", "--help", "-m", "x")

    assert outcome.stdout.startswith("package.train [")
    assert "'--help', '-m', 'x'" in outcome.stdout


def test_module_attached_to_other_flags(work: Path, same: Runner) -> None:
    write(work / "tool.py", "import sys; print(sys.argv[1:], sys.flags.dont_write_bytecode)")

    assert same("-Bmtool", "-o").stdout == "['-o'] 1\n"


def test_module_that_does_not_exist(same: Runner) -> None:
    outcome = same("-m", "no_such_module")

    assert outcome.code == 1
    assert outcome.stderr.endswith("No module named no_such_module\n")


def test_code(same: Runner) -> None:
    outcome = same("-c", "import sys; print(sys.argv, sys.path[0], __name__)", "--help", "-c")

    assert outcome.stdout == "['-c', '--help', '-c']  __main__\n"


def test_folder(work: Path, same: Runner) -> None:
    write(work / "app" / "__main__.py", "import sys, beside; print(sys.argv, sys.path[0])")
    write(work / "app" / "beside.py", "print('beside')")

    outcome = same("app", "--help")

    assert outcome.stdout.startswith("beside\n['app', '--help']")


def test_folder_without_main(work: Path, same: Runner) -> None:
    (work / "app").mkdir()

    assert "can't find '__main__' module" in same("app").stderr


def test_zip(work: Path, same: Runner) -> None:
    with zipfile.ZipFile(work / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", "import sys; print('zipped', sys.argv)")

    assert same("app.pyz", "-o").stdout == "zipped ['app.pyz', '-o']\n"


def test_script_from_standard_input(same: Runner) -> None:
    outcome = same("-", "--help", "x", stdin=SHOW_ARGV)

    assert outcome.stdout == "['-', '--help', 'x']\n"


def test_file_whose_name_looks_like_an_option(work: Path, same: Runner) -> None:
    write(work / "-c.py", SHOW_ARGV)

    assert same("--", "-c.py", "-o").stdout == "['-c.py', '-o']\n"


def test_missing_script_is_one_line_and_no_run(run_ca: Runner, run_folder: Path) -> None:
    outcome = run_ca("missing.py")

    assert outcome == Outcome(2, "", "ca: no such script: missing.py\n")
    assert not run_folder.exists()


# --- how the script ends ------------------------------------------------------------------


@needs_on_exit
@pytest.mark.parametrize(
    "code", [3, 300, *(pytest.param(each, marks=pytest.mark.long) for each in (0, 1, -1))]
)
def test_exit_code(work: Path, same: Runner, run_folder: Path, code: int) -> None:
    outcome = same(script(work, f"import sys; sys.exit({code})"))

    assert outcome.code == code & 0xFF
    assert (run_folder / "exit_code").read_bytes() == bytes([code & 0xFF])


@needs_on_exit
def test_normal_end(work: Path, same: Runner, run_folder: Path) -> None:
    assert same(script(work, "print('done')")) == Outcome(0, "done\n", "")
    assert (run_folder / "exit_code").read_bytes() == b"\0"
    run = json.loads((run_folder / "run.json").read_text())
    assert run["end"] >= run["start"]


def test_exit_with_text(work: Path, same: Runner) -> None:
    assert same(script(work, "raise SystemExit('not today')")) == Outcome(1, "", "not today\n")


@needs_on_exit
def test_uncaught_exception(work: Path, same: Runner, run_folder: Path) -> None:
    outcome = same(
        script(
            work,
            """
            def inner(value):
                return 1 / value
            def outer():
                try:
                    inner(0)
                except ZeroDivisionError as error:
                    raise ValueError("no good") from error
            outer()
            """,
        )
    )

    assert outcome.code == 1
    assert "The above exception was the direct cause" in outcome.stderr
    assert json.loads((run_folder / "run.json").read_text())["exit_code"] == 1
    assert (run_folder / "exit_code").read_bytes() == b"\1"


def test_syntax_error(work: Path, same: Runner) -> None:
    outcome = same(script(work, "def broken(:\n    pass\n"))

    assert outcome.code == 1
    assert "SyntaxError: invalid syntax" in outcome.stderr


def test_excepthook_of_the_script(work: Path, same: Runner) -> None:
    outcome = same(
        script(
            work,
            """
            import sys, traceback
            print(sys.excepthook is sys.__excepthook__)
            def hook(kind, error, trace):
                print("hook:", kind.__name__, error, len(traceback.extract_tb(trace)))
            sys.excepthook = hook
            raise ValueError("no good")
            """,
        )
    )

    assert outcome == Outcome(1, "True\nhook: ValueError no good 1\n", "")


def test_atexit_order(work: Path, same: Runner) -> None:
    outcome = same(
        script(
            work,
            """
            import atexit, sys, threading, time
            atexit.register(print, "registered first, runs last")
            atexit.register(sys.exit, "from a handler")
            atexit.register(print, "registered last, runs first")
            def work():
                time.sleep(0.2)
                print("thread ends")
            threading.Thread(target=work).start()
            class Late:
                def __del__(self):
                    sys.__stdout__.write("collected\\n")
            late = Late()
            """,
        )
    )

    assert outcome.stdout.splitlines() == [
        "thread ends",
        "registered last, runs first",
        "registered first, runs last",
        "collected",
    ]
    assert "SystemExit: from a handler" in outcome.stderr


def test_os_exit(work: Path, same: Runner, run_folder: Path) -> None:
    outcome = same(script(work, "import os; os._exit(7)"))

    assert outcome == Outcome(7, "", "")
    assert json.loads((run_folder / "run.json").read_text())["exit_code"] is None
    assert not (run_folder / "exit_code").exists()


@needs_on_exit
def test_forked_child_does_not_end_the_run(work: Path, same: Runner, run_folder: Path) -> None:
    outcome = same(
        script(
            work,
            """
            import os, sys
            child = os.fork()
            if not child:
                sys.exit(5)  # by way of the atexit handlers of its parent
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            print(os.path.exists(os.environ.get("CA_RUN", "") + "/exit_code"))
            sys.exit(4)
            """,
        )
    )

    assert outcome == Outcome(4, "5\nFalse\n", "")
    assert (run_folder / "exit_code").read_bytes() == b"\4"


def test_program_that_replaces_itself(work: Path, same: Runner, run_folder: Path) -> None:
    outcome = same(
        script(
            work,
            """
            import os, sys
            if "again" not in sys.argv:
                os.execv(sys.executable, [sys.executable, "script.py", "again"])
            print("replaced")
            """,
        )
    )

    assert outcome == Outcome(0, "replaced\n", "")
    assert json.loads((run_folder / "run.json").read_text())["end"] is not None


def test_current_folder_removed_by_the_script(work: Path, same: Runner) -> None:
    outcome = same(
        script(
            work,
            """
            import os, tempfile
            folder = tempfile.mkdtemp()
            os.chdir(folder)
            os.rmdir(folder)
            print("gone")
            """,
        )
    )

    assert outcome == Outcome(0, "gone\n", "")


def test_environment_emptied_by_the_script(work: Path, same: Runner, run_folder: Path) -> None:
    assert same(script(work, "import os; os.environ.clear()")) == Outcome(0, "", "")
    assert json.loads((run_folder / "run.json").read_text())["end"] is not None


# --- signals and pipes --------------------------------------------------------------------


def signalled(command: Sequence[str | Path], work: Path, number: signal.Signals) -> Outcome:
    """Run `command`, send it the signal once it printed a line, and return its end."""
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=work,
        env=clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=take_signals,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)  # the line after the print is the one to be interrupted
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    return Outcome(process.returncode, stdout, stderr)


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)],
)
def test_death_by_signal(work: Path, run_folder: Path, number: signal.Signals) -> None:
    script(work, "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")

    plain = signalled([PYTHON, "script.py"], work, number)
    recorded = signalled([CA, "run", "--quiet", "-o", run_folder, "script.py"], work, number)

    assert recorded == plain
    assert recorded.code == -number
    run = json.loads((run_folder / "run.json").read_text())
    if number is signal.SIGINT:
        assert recorded.stderr.endswith("KeyboardInterrupt\n")
        assert run["exit_code"] == 130
    else:
        assert (run["end"] is not None, run["exit_code"]) == (True, None)
        assert not (run_folder / "exit_code").exists()


def test_signal_handler_of_the_script(work: Path, run_folder: Path) -> None:
    script(
        work,
        """
        import signal, sys, time
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(9))
        print("ready", flush=True)
        time.sleep(60)
        """,
    )

    plain = signalled([PYTHON, "script.py"], work, signal.SIGTERM)
    recorded = signalled(
        [CA, "run", "--quiet", "-o", run_folder, "script.py"], work, signal.SIGTERM
    )

    assert recorded == plain == Outcome(9, "", "")


def test_signal_settings_are_inherited(work: Path, same: Runner) -> None:
    outcome = same(
        script(
            work,
            """
            import signal
            for number in sorted(signal.valid_signals()):
                print(number, signal.getsignal(number))
            print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
            """,
        )
    )

    assert outcome.code == 0
    assert outcome.stderr == ""


def first_line_only(command: Sequence[str | Path], work: Path) -> Outcome:
    """Run `command`, read one line of its output and close the pipe, as `head -1` does."""
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=work,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    line = process.stdout.readline()
    process.stdout.close()
    process.stdin.close()  # the script goes on only now
    stderr = process.stderr.read()
    process.stderr.close()
    return Outcome(process.wait(timeout=60), line, stderr)


@pytest.mark.parametrize(("rest", "code"), [("x" * 100_000, 1), ("x", 120)])
@pytest.mark.parametrize("quiet", [True, False])
def test_broken_pipe(work: Path, run_folder: Path, rest: str, code: int, quiet: bool) -> None:
    script(
        work,
        f"""
        import sys
        print("first", flush=True)
        sys.stdin.read()
        print("x" * {len(rest)})
        """,
    )
    options = ["--quiet"] if quiet else []

    plain = first_line_only([PYTHON, "script.py"], work)
    recorded = first_line_only([CA, "run", *options, "-o", run_folder, "script.py"], work)

    assert plain.code == recorded.code == code
    assert "BrokenPipeError" in plain.stderr
    if quiet:
        assert recorded == plain
    else:
        # In between stands what we say at the end, and nothing else.
        ours = [line for line in recorded.stderr.splitlines() if line.startswith("ca: ")]
        theirs = [line for line in recorded.stderr.splitlines() if not line.startswith("ca: ")]
        assert len(ours) == 1
        assert theirs == plain.stderr.splitlines()


@pytest.mark.parametrize("options", [[], ["--check"]], ids=["run", "check"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams(
    work: Path, run_folder: Path, closed: str, options: list[str]
) -> None:
    # The first file that is opened then gets the descriptor of a standard stream, and
    # nothing of ours may go into it.
    script(
        work,
        """
        import sys
        file = open("out.txt", "w")
        file.write(repr([sys.stdin is None, sys.stdout is None, sys.stderr is None]))
        file.flush()
        sys.exit(3)
        """,
    )
    outcomes = []
    for command in ([PYTHON], [str(CA), "run", *options, "-o", str(run_folder)]):
        (work / "out.txt").unlink(missing_ok=True)
        done = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *command, "script.py"],
            cwd=work,
            env=clean_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )
        outcomes.append((done.returncode, done.stdout, (work / "out.txt").read_text()))

    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 3
    assert "True" in outcomes[0][2]


# --- children and start-up files ----------------------------------------------------------


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_multiprocessing(work: Path, same: Runner, run_folder: Path, method: str) -> None:
    outcome = same(
        script(
            work,
            f"""
            import multiprocessing, sys
            def double(value):
                return value * 2, __name__, [p for p in sys.path if "_boot" in p]
            if __name__ == "__main__":
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    print(pool.map(double, [1, 2]))
                child = multiprocessing.get_context({method!r}).Process(target=sys.exit, args=(6,))
                child.start()
                child.join()
                print(child.exitcode)
            """,
        )
    )

    assert outcome.code == 0
    assert outcome.stdout.startswith("[(2, ")
    assert outcome.stdout.endswith("6\n")
    assert outcome.stderr == ""


def test_child_interpreters(work: Path, same: Runner) -> None:
    outcome = same(
        script(
            work,
            """
            import subprocess, sys
            # Without site nobody takes our folder off the path; it holds nothing else.
            code = "import sys; print(sys.flags.no_site or sys.path, sys.argv); sys.exit(8)"
            for flags in [[], ["-I"], ["-S"], ["-E"]]:
                done = subprocess.run([sys.executable, *flags, "-c", code, "x"])
                print(done.returncode, flush=True)
            """,
        )
    )

    assert outcome.stdout.count("\n8\n") == 4
    assert outcome.stderr == ""


SHOW_SITECUSTOMIZE = """
    import sys
    module = sys.modules.get("sitecustomize")
    print(module and (module.__name__, module.__file__, module.__spec__.name, module.MARK))
"""


def test_sitecustomize_of_the_user(work: Path, same: Runner) -> None:
    write(work / "site" / "sitecustomize.py", "MARK = 'mine'")

    outcome = same(script(work, SHOW_SITECUSTOMIZE), env={"PYTHONPATH": "site"})

    assert outcome.stdout.startswith("('sitecustomize', ")
    assert outcome.stdout.endswith("'mine')\n")


def test_sitecustomize_runs_once_for_an_isolated_ca(work: Path) -> None:
    write(work / "site" / "sitecustomize.py", "open('ran', 'a').write('x')")
    environment = {**clean_environment(), "PYTHONPATH": "site"}
    command = [PYTHON, "-I", "-m", "ca_cli", "run", "--quiet", "-c", "pass"]

    subprocess.run(command, cwd=work, env=environment, check=True, timeout=60)

    assert (work / "ran").read_text() == "x"


def test_no_sitecustomize(work: Path, same: Runner) -> None:
    assert "_boot" not in same(script(work, SHOW_SITECUSTOMIZE.replace(", module.MARK", ""))).stdout


def test_failing_sitecustomize_of_the_user(work: Path, run_python: Runner, run_ca: Runner) -> None:
    write(work / "site" / "sitecustomize.py", "import no_such_module")
    script(work, "print('still runs')")

    plain = run_python("script.py", env={"PYTHONPATH": "site"})
    recorded = run_ca("script.py", env={"PYTHONPATH": "site"})

    assert plain.stderr.startswith("Error in sitecustomize; set PYTHONVERBOSE for traceback")
    # Once by the interpreter of `ca` itself, once by the script's, and by none at the end.
    assert recorded == Outcome(0, "still runs\n", plain.stderr * 2)


def test_usercustomize_still_runs(work: Path, same: Runner) -> None:
    write(work / "site" / "usercustomize.py", "print('customised')")

    # Off in a virtual environment, like everything of the user's site.
    outcome = same(script(work, "print('runs')"), env={"PYTHONPATH": "site"})

    assert outcome.stdout.endswith("runs\n")


# --- with torch ---------------------------------------------------------------------------

TRAIN = """
    import sys, torch
    from torch._dynamo import compiled_autograd

    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with compiled_autograd._enable(torch.compile(backend="eager")):
        for rows in (2, 2, 3):
            optimizer.zero_grad()
            loss = model(torch.randn(rows, 4)).square().mean()
            loss.backward()
            optimizer.step()
            print(loss.item().hex(), model.weight.tolist())
    model(torch.randn(2, 5))
"""


@pytest.mark.parametrize("engine", ["ca", pytest.param("torch", marks=pytest.mark.long)])
def test_training_that_ends_in_an_error(
    work: Path, warm_python: Runner, run_ca: Runner, run_folder: Path, engine: str
) -> None:
    script(work, TRAIN)

    plain = warm_python(work / "script.py")
    recorded = run_ca("--engine", engine, work / "script.py")

    assert recorded == plain
    assert plain.code == 1
    assert len(plain.stdout.splitlines()) == 3
    assert "mat1 and mat2 shapes cannot be multiplied" in plain.stderr
    (trace,) = (run_folder / "trace").iterdir()
    assert '"name": "ca_capture"' in trace.read_text()
    assert (run_folder / "report.html").exists()


@pytest.mark.long
def test_torch_interrupted_by_ctrl_c(work: Path, run_folder: Path) -> None:
    # What is imported or evaluated at exit must not turn a death by SIGINT into exit code 1.
    script(
        work,
        """
        import time
        import torch._dynamo
        print("ready", flush=True)
        time.sleep(60)
        """,
    )

    plain = signalled([PYTHON, "script.py"], work, signal.SIGINT)
    recorded = signalled([CA, "run", "--quiet", "-o", run_folder, "script.py"], work, signal.SIGINT)

    assert recorded == plain
    assert recorded.code == -signal.SIGINT
