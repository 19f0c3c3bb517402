"""Programs of any kind: ``aot_eager``'s bits until inductor's graphs take over, then its own.

With ``CA_TEST_RANDOM=1`` they are others each time, and ``CA_TEST_EXAMPLES`` says how many.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings

from ca_engine.compat import versions
from tests.engine.lowering.background.random_programs import RandomProgram, programs
from tests.engine.lowering.background.swapping import empty_caches, swaps

EXAMPLES = int(os.environ.get("CA_TEST_EXAMPLES", "24"))

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(300 * EXAMPLES),
    pytest.mark.skipif(
        not versions.compiles_graphs_elsewhere(), reason="off with this version of torch"
    ),
]


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(program=programs())
def test_the_bits_of_a_program(program: RandomProgram) -> None:
    with empty_caches():
        eager = program.steps("aot_eager", lambda: None)
    with empty_caches():
        compiled = program.steps("inductor", lambda: None)
    with pytest.MonkeyPatch.context() as patch, swaps(patch) as swapped:

        def release() -> None:
            swapped.worker.is_released = True

        found = program.steps("inductor", release)
    graphs = swapped.states.count("compiling")
    # AOTAutogradCache keeps not every graph; then it is compiled once more, and as exact.
    assert swapped.states.count("ready") + swapped.states.count("waited") == graphs > 0
    assert swapped.reasons <= {"AOTAutogradCache did not keep it"}
    at = program.swap_at
    assert found[:at] == eager[:at]
    assert found[at:] == compiled[at:]
