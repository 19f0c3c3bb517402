class OutOfMemory(RuntimeError):
    pass


class Budget:
    """Pretends to be the device: raises if a micro-batch's activations are too large."""

    def __init__(self, limit):
        self.limit = limit

    def check(self, rows):
        used = rows * 32 * 4 * 4
        if used > self.limit:
            raise OutOfMemory("%d bytes of %d" % (used, self.limit))
