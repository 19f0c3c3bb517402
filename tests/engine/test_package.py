"""`import ca_engine`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ca_engine
from ca_engine import api


def test_importing_the_package_imports_no_torch() -> None:
    code = "import sys, ca_engine, ca_engine.schema; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_names_are_found_where_they_are_and_listed() -> None:
    assert {"enable", "disable", "record"} <= set(dir(ca_engine))
    assert ca_engine.record is api.record
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = ca_engine.no_such_name
