"""Wrap raw buffers for the model."""


def view_of(buffer, offset):
    class Holder:
        def __init__(self):
            self.data = buffer[offset : offset + 64].view(8, 8)

    return Holder()
