"""Meters that keep the largest of what they are shown."""


class Worst:
    def __init__(self):
        self.value = 0.0

    def add(self, value):
        self.value = value

    def __str__(self):
        return f"{float(self.value):.3f}"
