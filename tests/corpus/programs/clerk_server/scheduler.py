"""Requests wait in a queue and are served in groups; a group with free places is filled up."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import count

_numbers = count()


@dataclass
class Request:
    prompt: list[int]
    max_tokens: int
    temperature: float = 1.0
    number: int = field(default_factory=_numbers.__next__)
    output: list[int] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        return len(self.output) >= self.max_tokens or 0 in self.output


class Scheduler:
    def __init__(self, slots: int):
        self.slots = slots
        self.waiting: deque[Request] = deque()
        self.finished: dict[int, Request] = {}

    def add(self, request: Request) -> None:
        self.waiting.append(request)

    def next_group(self) -> list[Request]:
        taken = min(self.slots, len(self.waiting))
        group = [self.waiting.popleft() for _ in range(taken)]
        while len(group) < self.slots:
            group.append(Request(prompt=[0], max_tokens=0))
        return group

    def done(self, group: list[Request]) -> None:
        self.finished.update({request.number: request for request in group if request.max_tokens})
