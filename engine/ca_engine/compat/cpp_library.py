"""One library for several of inductor's C++ kernels, in place of one for each.

Four fifths of what the C++ compiler does for a kernel is the same for each: it reads a precompiled
header, compiles what that defines, and links. Here each kernel is the same function of the same
source, compiled by the same command, and its machine code is the same.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch._inductor.codecache import CppPythonBindingsCodeCache
from torch._inductor.runtime.cache_dir_utils import cache_dir

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*?)[ \t]*$", re.MULTILINE)
# Another one in a kernel's source could mean something to the next kernel, unless it is of the
# bindings, which are the same for all: what those define is undefined behind each.
_HARMLESS = frozenset({"include", "pragma"})
_OF_BINDINGS = frozenset(_DIRECTIVE.findall(CppPythonBindingsCodeCache.suffix_template))
_DEFINED = sorted({re.split(r"\W", rest)[0] for name, rest in _OF_BINDINGS if name == "define"})

# Python asks a library for the last part of a module's name, which is ``kernel`` for each of
# inductor's (``KEY.kernel``). So one function serves all, and goes by the whole name.
_CHOICE = """\
struct CaKernel { const char* module; PyObject* (*create)(); };
static const CaKernel ca_kernels[] = {
%s
};

static PyObject* ca_create(PyObject* spec, PyModuleDef*) {
    PyObject* name = PyObject_GetAttrString(spec, "name");
    const char* text = name ? PyUnicode_AsUTF8(name) : nullptr;
    PyObject* module = nullptr;
    if (text) {
        for (const CaKernel& each : ca_kernels) {
            if (!std::strcmp(each.module, text)) {
                module = each.create();
                break;
            }
        }
        if (!module && !PyErr_Occurred())
            PyErr_SetString(PyExc_ImportError, "no such kernel in this library");
    }
    Py_XDECREF(name);
    return module;
}

static PyModuleDef_Slot ca_slots[] = {{Py_mod_create, (void*)ca_create}, {0, nullptr}};
static PyModuleDef ca_module = {
    PyModuleDef_HEAD_INIT, "kernel", nullptr, 0, nullptr, ca_slots, nullptr, nullptr, nullptr};

PyMODINIT_FUNC PyInit_kernel(void) { return PyModuleDef_Init(&ca_module); }
"""


@dataclass(frozen=True)
class Kernel:
    """A kernel's source in a file, the library that it is to be in, and the command for that."""

    key: str
    source: Path
    library: Path
    command: str
    text: str

    @classmethod
    def of(cls, compile_alone: Any) -> Kernel | None:
        """Return the one that inductor would compile by calling ``compile_alone``.

        None if that is more than one file, or one that can't stand beside others in a source.
        """
        try:
            _, (builder,) = compile_alone.args
            library = Path(builder.get_target_file_path())
            source = library.with_suffix(".cpp")
            command = builder.get_command_line()
            text = source.read_text()
        except (AttributeError, ValueError, OSError):
            return None
        if command.count(str(library)) != 1 or command.count(str(source)) != 1:
            return None
        for directive in _DIRECTIVE.findall(text):
            if directive[0] not in _HARMLESS and directive not in _OF_BINDINGS:
                return None
        return cls(library.name.partition(".")[0], source, library, command, text)

    @property
    def options(self) -> str:
        """Return the command, whatever it compiles."""
        return self.compiling(Path(), Path())

    def compiling(self, source: Path, library: Path) -> str:
        """Return the command for another file."""
        command = self.command.replace(str(self.library), shlex.quote(str(library)))
        return command.replace(str(self.source), shlex.quote(str(source)))


def source_of(kernels: Sequence[Kernel]) -> str:
    """Return one source for all.

    Each is included as it is, in a namespace of its own, behind what any of them includes.
    """
    includes = dict.fromkeys(
        f"#include {rest}"
        for kernel in kernels
        for directive, rest in _DIRECTIVE.findall(kernel.text)
        if directive == "include"
    )
    lines = ["#define PY_SSIZE_T_CLEAN", *includes, "#include <cstring>"]
    for kernel in kernels:
        lines += [
            f"#define kernel kernel_{kernel.key}",
            f"#define PyInit_kernel PyInit_{kernel.key}",
            f"namespace {kernel.key} {{",
            f'#include "{kernel.source}"',
            "}",
            *(f"#undef {name}" for name in ("kernel", "PyInit_kernel", *_DEFINED)),
        ]
    rows = [f'    {{"{each.key}.kernel", {each.key}::PyInit_{each.key}}},' for each in kernels]
    return "\n".join([*lines, _CHOICE % "\n".join(rows)])


def compile_in_one(kernels: Sequence[Kernel]) -> None:
    """Compile ``kernels``, which have equal `Kernel.options`, and put each where it is to be.

    Raises what went wrong; then none of them is there.
    """
    with TemporaryDirectory(prefix="ca_kernels_", dir=cache_dir()) as folder:
        source, library = Path(folder, "kernels.cpp"), Path(folder, "kernels.so")
        source.write_text(source_of(kernels))
        subprocess.run(
            # Nobody reads warnings, which are megabytes.
            [*shlex.split(kernels[0].compiling(source, library)), "-w"],
            check=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for kernel in kernels:
            _try_to_load(kernel.key, library)
        for kernel in kernels:
            _put(library, kernel.library)


def _try_to_load(key: str, library: Path) -> None:
    """Raise an error where inductor could not load the kernel."""
    # Where the library looks up how it gets at a tensor's memory, as inductor sets it.
    address = torch._C._dynamo.guards._torchinductor_pyobject_tensor_data_ptr  # type: ignore[attr-defined]
    os.environ["_TORCHINDUCTOR_PYOBJECT_TENSOR_DATA_PTR"] = str(address)
    spec = importlib.util.spec_from_file_location(f"{key}.kernel", library)
    assert spec is not None
    if not callable(importlib.util.module_from_spec(spec).kernel):
        raise ImportError(key)


def _put(library: Path, place: Path) -> None:
    """As a link, or a copy. Another process may have put its own there."""
    try:
        os.link(library, place)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        copy = library.with_name(place.name)
        shutil.copy(library, copy)
        copy.replace(place)
