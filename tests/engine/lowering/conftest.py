"""With a torch that lowering was not proven on there is nothing to be tested here."""

from ca_engine.lowering import modes

collect_ignore_glob = [] if modes.is_proven() else ["test_*.py"]
