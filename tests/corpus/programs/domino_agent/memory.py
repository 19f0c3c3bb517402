from collections import deque


class FrameHistory:
    """The last few observations, oldest first."""

    def __init__(self, depth):
        self.frames = deque(maxlen=depth)

    def reset(self, frame):
        self.frames.clear()
        self.frames.append(frame)

    def push(self, frame):
        self.frames.append(frame)

    def view(self):
        return list(self.frames)
