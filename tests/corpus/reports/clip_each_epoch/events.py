from collections import defaultdict


class Events:
    def __init__(self):
        self.listeners = defaultdict(list)

    def on(self, name, listener):
        self.listeners[name].append(listener)

    def fire(self, name, *args):
        for listener in self.listeners[name]:
            listener(*args)
