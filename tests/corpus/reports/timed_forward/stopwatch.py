import time


class Stopwatch:
    def __init__(self):
        self.spent = {}

    def add(self, name, since):
        self.spent[name] = self.spent.get(name, 0.0) + time.time() - since
