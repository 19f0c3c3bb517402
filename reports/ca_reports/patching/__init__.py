"""From findings to patches of the user's source; none where the source does not prove it safe."""
