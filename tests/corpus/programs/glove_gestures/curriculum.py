"""How hard the task is at the moment."""


class Curriculum:
    """Moves on when the error was low for `patience` steps."""

    def __init__(self, levels, patience=3):
        self.levels, self.patience = list(levels), patience
        self.at = self.good = 0

    @property
    def level(self):
        return self.levels[self.at]

    def report(self, error, limit=9.0):
        self.good = self.good + 1 if error < limit else 0
        if self.good >= self.patience and self.at + 1 < len(self.levels):
            self.at, self.good = self.at + 1, 0
            return True
        return False
