"""The vector instructions of inductor's compilers, handed from process to process.

Inductor compiles and loads a small library for each kind that the machine knows, in a process of
its own: seconds, which the process that trains must not spend.
"""

from __future__ import annotations

import hashlib
from typing import Any

from torch._inductor.cpu_vec_isa import VecISA, valid_vec_isa_list

# For compiler flags and a hash of the library's code, whether it could be built and loaded.
Builds = list[tuple[str, str, bool]]

_OWNER: Any = VecISA


def probe() -> Builds:
    """Find what this machine and its compiler can use. Raises what inductor does without one."""
    found: Builds = []
    stock = _OWNER.check_build

    def noting(self: VecISA, code: str) -> bool:
        is_built = bool(stock(self, code))
        found.append((self.build_arch_flags(), _hash(code), is_built))
        return is_built

    _with_builds(noting)
    return found


def take_over(builds: Builds) -> None:
    """Take what `probe` found in another process of the same machine, torch and environment.

    Does nothing if this process has looked already.
    """
    known = {(flags, code): is_built for flags, code, is_built in builds}
    stock = _OWNER.check_build

    def looked_up(self: VecISA, code: str) -> bool:
        is_built = known.get((self.build_arch_flags(), _hash(code)))
        return bool(stock(self, code)) if is_built is None else is_built

    if known and not valid_vec_isa_list.cache_info().currsize:
        _with_builds(looked_up)


def _with_builds(check_build: Any) -> None:
    stock = _OWNER.check_build
    _OWNER.check_build = check_build
    try:
        valid_vec_isa_list()
    finally:
        _OWNER.check_build = stock


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
