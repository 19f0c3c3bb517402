"""Under ``ca run --check`` a script starts as under plain python.

What an interpreter makes of its command line is the same with a parent or without: cases of
`test_run_fidelity` again, of which `test_check_fidelity` has those that a parent can spoil.
"""

from __future__ import annotations

import sys

import pytest

from tests.integration.test_check_fidelity import same  # noqa: F401 -- the fixture of these tests
from tests.integration.test_run_fidelity import (  # noqa: F401 -- pytest collects them here too
    test_code,
    test_excepthook_of_the_script,
    test_folder,
    test_interpreter_flags,
    test_main_module,
    test_module_that_does_not_exist,
    test_modules_beside_the_script_are_its_own,
    test_path_is_the_same_to_the_last_entry,
    test_sitecustomize_of_the_user,
    test_syntax_error,
    test_warnings_as_errors,
)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and shells of POSIX"),
]
