"""A ball that falls and a paddle that can catch it, seen frame by frame."""

from collections import deque

import torch


class Catch:
    size = 8

    def reset(self):
        self.row, self.ball, self.paddle = 0, int(torch.randint(0, self.size, ())), self.size // 2
        return self.frame()

    def frame(self):
        image = torch.zeros(self.size, self.size)
        image[self.row, self.ball] = 1
        image[-1, self.paddle] = -1
        return image

    def step(self, action):
        self.paddle = min(max(self.paddle + action - 1, 0), self.size - 1)
        self.row += 1
        done = self.row == self.size - 1
        reward = float(done and self.paddle == self.ball)
        return self.frame(), reward, done


class FrameStack:
    """Remembers the last frames of an episode."""

    def __init__(self, environment, depth=4):
        self.environment = environment
        self.frames = deque(maxlen=depth)

    def reset(self):
        self.frames.clear()
        self.frames.append(self.environment.reset())
        return list(self.frames)

    def step(self, action):
        frame, reward, done = self.environment.step(action)
        self.frames.append(frame)
        return list(self.frames), reward, done
