class Banks:
    """What later frames may look at."""

    def __init__(self, long, short):
        self.long = long
        self.short = short

    def keep_short(self, value):
        self.short = value

    def keep_long(self, value):
        self.long = value

    def promote(self):
        self.long = self.short
