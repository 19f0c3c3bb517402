class StreamState:
    """What a stream remembers between chunks."""

    def __init__(self, taps):
        self.taps = taps
        self.columns = {}
