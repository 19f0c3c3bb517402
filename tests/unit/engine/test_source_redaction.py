"""What takes long to compile is there only when a source may name a secret."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
from ca_engine.source_redaction import redact_source
assert redact_source("x = 1") == "x = 1"
assert "ca_engine.source_secrets" not in sys.modules
assert redact_source("password = 'x'") == "password = '[redacted]'"
assert redact_source("x = 1; y = 'a'", ["y"]) == "x = 1; y = '[redacted]'"
"""


def test_its_expressions_are_compiled_late() -> None:
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True)
