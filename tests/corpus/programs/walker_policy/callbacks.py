"""What happens after each update."""


class Callback:
    def after_update(self, agent, update):
        raise NotImplementedError


class EntropyDecay(Callback):
    def __init__(self, start=0.05, rate=0.7):
        self.start, self.rate = start, rate

    def after_update(self, agent, update):
        agent.entropy_weight = self.start * self.rate ** (update + 1)


class Report(Callback):
    def __init__(self):
        self.lines = []

    def after_update(self, agent, update):
        self.lines.append(f"{update}: {agent.last_entropy:.3f}")
