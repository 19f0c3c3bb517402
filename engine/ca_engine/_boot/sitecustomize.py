"""Start the recorder in an interpreter that `ca run` (or a child of one) started.

`ca run` puts this folder in front of PYTHONPATH, so `site` finds this file where it
looks for a user's `sitecustomize`. It leaves no trace of that: the folder goes off
`sys.path` again, and the import goes on to the user's own `sitecustomize`, or fails with
the ImportError that `site` expects where there is none.

Standard library only and no syntax newer than Python 2: every Python that the script
starts comes through here, whatever its version and whether or not it has torch.
"""

# Importing `pathlib` would cost every process of the run more than all of this:
# ruff: noqa: PTH100, PTH118, PTH120

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [_entry for _entry in sys.path if os.path.abspath(_entry or os.curdir) != _here]
sys.path_importer_cache.pop(_here, None)
_self = sys.modules.pop("sitecustomize")  # kept alive: Python 2 clears what nothing refers to

if sys.version_info >= (3, 10):  # noqa: UP036 -- older ones cannot have a torch that we support
    try:
        # What `import ca_engine.boot` does, without the package around it: that need not be
        # installed in this interpreter, and shall not be in `sys.modules` before torch is.
        _name = "ca_engine.boot"
        _file = os.path.join(os.path.dirname(_here), "boot.py")
        _loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(_name, _file)
        _boot = type(sys)(_name)
        _boot.__spec__ = type(__spec__)(_name, _loader, origin=_file)
        _boot.__file__ = _file
        _loader.exec_module(_boot)
        _boot.start()
    except Exception as _error:
        if sys.stderr is not None:
            sys.stderr.write("ca: not recording this process: %r\n" % _error)  # noqa: UP031

# The module of that name comes from further along the path, and what it raises (that it
# does not exist, most often) is for `site` to see as if we had never been here.
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
