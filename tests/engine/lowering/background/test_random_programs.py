"""Programs out of seeds: ``aot_eager``'s bits until inductor's graphs take over, then its own."""

from __future__ import annotations

import pytest

from ca_engine.compat import versions
from tests.engine.lowering.background.random_programs import RandomProgram
from tests.engine.lowering.background.swapping import empty_caches, swaps

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
    ),
]


@pytest.mark.parametrize("seed", range(24))
def test_the_bits_of_a_program(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = RandomProgram(seed)
    with empty_caches():
        eager = program.steps("aot_eager", lambda: None)
    with empty_caches():
        compiled = program.steps("inductor", lambda: None)
    with swaps(monkeypatch) as swapped:

        def release() -> None:
            swapped.worker.is_released = True

        found = program.steps("inductor", release)
    at = program.swap_at
    assert swapped.states.count("ready") == swapped.states.count("compiling") > 0, swapped.reasons
    assert found[:at] == eager[:at]
    assert found[at:] == compiled[at:]
