"""The boot in a recorded process, against a tree of fake packages named torch.

The fake is found first, since it lies beside the script, and `ca_engine.installation` is put
into `sys.modules` by the script: what is tested is when, how often and with what it is
called, and what an importing program can see of that.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from ca_engine.settings import Settings
from tests.integration.conftest import PYTHON, execute

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.conftest import Runner

FAKE_INSTALL = """
import dataclasses, sys, time, types
began = time.time()
fake = types.ModuleType("ca_engine.installation")
calls = []
def install(settings):
    import torch
    assert began - 60 < settings.started < began  # the interpreter began before the program
    settings = dataclasses.replace(settings, started=None)
    calls.append((settings.as_json(), torch._dynamo.FINISHED))
fake.install = install
sys.modules["ca_engine.installation"] = fake
def hooks():
    return [finder._name for finder in sys.meta_path if type(finder).__name__ == "ImportHook"]
"""


@pytest.fixture
def program(work: Path) -> Path:
    """Write the fake tree; a test writes its own ``program.py`` beside it."""
    (work / "torch" / "_dynamo").mkdir(parents=True)
    (work / "torch" / "__init__.py").write_text('__version__ = "2.13.0"\nFINISHED = True\n')
    (work / "torch" / "_dynamo" / "__init__.py").write_text("FINISHED = True\n")
    (work / "observe.py").write_text(FAKE_INSTALL)
    return work / "program.py"


def changed(program: Path, **settings: Any) -> str:
    """What the fake is called with, where `ca run` was typed beside the program."""
    return Settings(cwd=str(program.parent), quiet=True, **settings).as_json()


def write(program: Path, text: str) -> str:
    program.write_text("from observe import calls, hooks\n" + textwrap.dedent(text))
    return program.name


def test_installs_once_when_dynamo_stands(program: Path, run_ca: Runner) -> None:
    name = write(
        program,
        """
        import torch
        print(hooks(), calls)
        import torch._dynamo
        print(hooks(), calls)
        import torch._dynamo
        print(calls)
        """,
    )

    outcome = run_ca("--engine", "torch", name)

    settings = changed(program, engine="torch")
    assert outcome.stdout.splitlines() == [
        "['torch._dynamo'] []",
        f"[] {[(settings, True)]}",
        f"{[(settings, True)]}",
    ]
    assert outcome.stderr == ""


@pytest.mark.parametrize(
    ("options", "backend", "dynamic"),
    [
        ([], "inductor", None),
        (["--backend", "aot_eager", "--dynamic"], "aot_eager", True),
        (["--backend=eager", "--no-dynamic"], "eager", False),
    ],
)
def test_enable_does_not_need_the_script_to_import_dynamo(
    program: Path, run_ca: Runner, options: list[str], backend: str, dynamic: bool | None
) -> None:
    outcome = run_ca("--enable", *options, write(program, "import torch; print(calls, hooks())"))

    settings = changed(program, enable=True, backend=backend, dynamic=dynamic)
    assert outcome.stdout == f"{[(settings, True)]} []\n"
    assert outcome.stderr == ""


def test_enable_when_the_script_imports_dynamo_first(program: Path, run_ca: Runner) -> None:
    outcome = run_ca("--enable", write(program, "import torch._dynamo; print(len(calls))"))

    assert outcome.stdout == "1\n"


def test_a_process_without_torch_imports_nothing_of_it(program: Path, run_ca: Runner) -> None:
    (program.parent / "plain.py").write_text(
        "import sys; print([m for m in sys.modules if m.startswith(('torch', 'ca_'))])"
    )

    outcome = run_ca("--enable", "plain.py")

    assert outcome.stdout == "[]\n"


def test_boot_imports_no_module_that_python_had_not(
    work: Path, run_python: Runner, run_ca: Runner
) -> None:
    (work / "plain.py").write_text("import sys; print(sorted(sys.modules))")

    plain = set(json.loads(run_python("plain.py").stdout.replace("'", '"')))
    recorded = set(json.loads(run_ca("plain.py").stdout.replace("'", '"')))

    assert recorded - plain == {"atexit"}  # it is built in
    assert plain <= recorded


def test_what_import_leaves_behind_is_genuine(program: Path, same: Runner) -> None:
    outcome = same(
        write(
            program,
            """
            import importlib, importlib.util, pickle, sys
            found = importlib.util.find_spec("torch._dynamo")  # does not import it
            print(found.name, "torch._dynamo" in sys.modules)
            import torch._dynamo as dynamo
            loader = dynamo.__spec__.loader
            print(type(loader), sorted(vars(loader)), loader is dynamo.__loader__)
            print(loader.get_source("torch._dynamo"), pickle.loads(pickle.dumps(loader)).name)
            dynamo.FINISHED = False
            print(importlib.reload(dynamo) is dynamo, dynamo.FINISHED)
            print(importlib.util.find_spec("torch._no_such"), importlib.util.find_spec("json").name)
            importlib.invalidate_caches()
            """,
        )
    )

    assert outcome.stderr == ""
    assert outcome.stdout.splitlines()[0] == "torch._dynamo False"
    assert outcome.stdout.splitlines()[-1] == "None json"


def test_reload_does_not_install_again(program: Path, run_ca: Runner) -> None:
    name = write(
        program,
        """
        import importlib, importlib.util
        spec = importlib.util.find_spec("torch._dynamo")
        import torch._dynamo
        importlib.reload(torch._dynamo)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
        print(len(calls))
        """,
    )

    assert run_ca(name).stdout == "1\n"


@pytest.mark.parametrize("module", ["torch", "torch/_dynamo"])
@pytest.mark.parametrize("error", ["ImportError('libcudart.so')", "RuntimeError('no driver')"])
def test_a_failing_torch_fails_as_ever(
    program: Path, run_python: Runner, run_ca: Runner, module: str, error: str
) -> None:
    (program.parent / module / "__init__.py").write_text(
        f"def load():\n    raise {error}\nload()\n"
    )
    name = write(program, "import torch._dynamo")

    plain = run_python(name)
    recorded = run_ca("--enable", name)

    assert plain.code == 1
    # Under --enable the import is ours first when torch itself is fine; then we say so.
    said = [line for line in recorded.stderr.splitlines() if line.startswith("ca: ")]
    rest = [line for line in recorded.stderr.splitlines() if not line.startswith("ca: ")]
    assert rest == plain.stderr.splitlines()
    assert len(said) == (0 if module == "torch" else 1)


def test_a_failing_torch_leaves_no_trace_of_us(program: Path, same: Runner) -> None:
    (program.parent / "torch" / "_dynamo" / "__init__.py").write_text("1 / 0\n")

    outcome = same(write(program, "import torch._dynamo"))

    assert outcome.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_a_second_attempt_after_a_failing_import_installs(program: Path, run_ca: Runner) -> None:
    (program.parent / "torch" / "_dynamo" / "__init__.py").write_text(
        "import builtins\nFINISHED = True\nif not hasattr(builtins, 'tried'):\n"
        "    builtins.tried = True\n    raise ImportError('not yet')\n"
    )
    name = write(
        program,
        """
        try:
            import torch._dynamo
        except ImportError:
            print("failed", len(calls))
        import torch._dynamo
        print("worked", len(calls))
        """,
    )

    assert run_ca(name).stdout == "failed 0\nworked 1\n"


def test_a_failing_install_is_one_line_and_the_program_goes_on(
    program: Path, run_ca: Runner
) -> None:
    name = write(
        program,
        """
        import sys
        def install(settings):
            raise RuntimeError("torch is\\ntoo new")
        sys.modules["ca_engine.installation"].install = install
        import torch._dynamo
        print("goes on")
        """,
    )

    outcome = run_ca(name)

    assert outcome.code == 0
    assert outcome.stdout == "goes on\n"
    assert outcome.stderr == "ca: not recording this process: RuntimeError: torch is too new\n"


def test_beside_a_torch_that_is_too_old_the_program_runs_as_ever(
    program: Path, same: Runner
) -> None:
    (program.parent / "torch" / "__init__.py").write_text('__version__ = "2.7.1+cu126"\n')
    done = same(write(program, "import torch._dynamo; print(calls)"))
    assert done.stdout == "[]\n"


def test_import_hooks_of_others_see_the_import(program: Path, same: Runner) -> None:
    outcome = same(
        write(
            program,
            """
            import dataclasses, json, sys  # torch itself imports the first two
            class Hook:
                def find_spec(self, name, path=None, target=None):
                    if name.startswith("torch"):
                        print("asked for", name)
            sys.meta_path.insert(0, Hook())
            sys.meta_path.append(object())  # older finders have no find_spec
            import torch._dynamo
            print(torch._dynamo.FINISHED)
            """,
        )
    )

    assert outcome.stdout == "asked for torch\nasked for torch._dynamo\nTrue\n"


def test_an_interpreter_without_ca_records_as_well(
    program: Path, run_ca: Runner, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", other], check=True, timeout=60)
    python = other / "bin" / "python"
    # The fake installation would make the real package of that name be imported early.
    (program.parent / "observe.py").write_text("")
    name = "program.py"
    program.write_text(
        "import sys\npath = list(sys.path)\nprint(path)\nimport torch._dynamo\n"
        "print(path == sys.path[:-1], sys.path[-1], 'ca_engine' in sys.modules)\n"
    )
    (program.parent / "parent.py").write_text(
        f"import subprocess; subprocess.run([{str(python)!r}, {name!r}])"
    )

    plain = execute([python, name], cwd=program.parent)
    recorded = run_ca("parent.py")

    path, found = recorded.stdout.splitlines()
    assert path == plain.stdout.splitlines()[0]
    assert found.startswith("True ")
    assert found.endswith("engine True")
    # It got as far as our engine, which does not find what it needs in the fake.
    assert recorded.stderr.startswith("ca: not recording this process: ")
    assert recorded.stderr.count("\n") == 1


@pytest.mark.skipif(sys.version_info < (3, 11), reason="-X importtime prints otherwise")
def test_import_time_still_works(program: Path, run_ca: Runner) -> None:
    outcome = run_ca("-X", "importtime", write(program, "import torch._dynamo; print(len(calls))"))

    assert outcome.stdout == "1\n"
    assert any(line.endswith("torch._dynamo") for line in outcome.stderr.splitlines())
