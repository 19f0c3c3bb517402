from collections import defaultdict


class TaskMeter:
    def __init__(self):
        self.values = defaultdict(list)

    def update(self, task, value):
        self.values[task].append(value)

    def __str__(self):
        return "  ".join(f"{task}: {sum(v) / len(v):.3f}" for task, v in self.values.items())
