"""Things that happen at the start of an epoch."""

from quant import set_bits


class Callback:
    def epoch(self, trainer, number): ...


class BitSchedule(Callback):
    def __init__(self, schedule):
        self.schedule = schedule

    def epoch(self, trainer, number):
        if number in self.schedule:
            set_bits(trainer.model, self.schedule[number])


class Report(Callback):
    def epoch(self, trainer, number):
        if number:
            print(f"{number}: loss {trainer.loss:.3f}, up to {trainer.model.observer.high:.2f}")
