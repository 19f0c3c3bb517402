"""With a torch that lowering was not proven on there is nothing to be tested here."""

from collections.abc import Iterator

import pytest

from ca_engine.lowering import modes

collect_ignore_glob = [] if modes.is_proven() else ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def inductor_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What inductor compiles here is nobody else's, and nobody else's is found here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.mktemp("inductor")))
        yield
