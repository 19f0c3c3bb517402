"""The compiled-autograd engine of `ca` and its recorder. See `docs/engine.md`."""
