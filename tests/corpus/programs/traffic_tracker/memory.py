"""What a tracker carries from frame to frame."""


class Memory:
    def __init__(self, decay=0.8):
        self.decay = decay
        self.slots = {}

    def recall(self, lane, default):
        return self.slots.setdefault(lane, default)

    def store(self, lane, state):
        self.slots[lane] = self.decay * self.slots[lane] + (1 - self.decay) * state
        return self.slots[lane]
