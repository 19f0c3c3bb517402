from functools import partial


def visible(rows, columns, offset, span):
    """May row look at column?"""
    return (columns <= rows + offset) & (rows - columns < span)


class MaskBuilder:
    spans = {"full": 10_000, "local": 8}

    def build(self, batch):
        return partial(visible, offset=batch.offset, span=self.spans[batch.window])
