"""Torch's own modules import each other in circles: which comes first matters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ca_engine.compat

# Sympy is none of torch's, and a third of what each child would import.
IMPORT_EACH_FIRST = """
import os, sys, sympy, torch
for module in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            __import__(f"ca_engine.compat.{module}")
        except BaseException as error:
            print(module, type(error).__name__, error, flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.long
def test_each_module_can_be_the_first_that_is_imported() -> None:
    folder = Path(ca_engine.compat.__file__).parent
    modules = sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")
    ran = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH_FIRST, *modules],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    assert modules
    assert ran.stdout == ""
