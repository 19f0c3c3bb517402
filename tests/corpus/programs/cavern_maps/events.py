from collections import defaultdict

_STORAGES = []


class EventStorage:
    def __init__(self, start_iter=0):
        self.iter = start_iter
        self.history = defaultdict(list)

    def put_scalar(self, name, value):
        self.history[name].append((self.iter, float(value)))

    def latest(self, name, window=5):
        values = [value for _, value in self.history[name][-window:]]
        return sum(values) / max(len(values), 1)

    def __enter__(self):
        _STORAGES.append(self)
        return self

    def __exit__(self, *_):
        _STORAGES.pop()


def get_event_storage():
    return _STORAGES[-1]
