def round_up(rows, sizes):
    """The smallest listed size that holds these rows."""
    for size in sizes:
        if rows <= size:
            return size
    raise ValueError("no size for %d rows" % rows)
