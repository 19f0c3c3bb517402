"""An environment that was made before `ca fix` has no LibCST yet."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("libcst") else ["test_*.py"]
