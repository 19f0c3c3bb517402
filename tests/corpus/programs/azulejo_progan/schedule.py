from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    depth: int
    steps: int
    fade_steps: int

    @property
    def resolution(self):
        return 4 * 2**self.depth

    def alpha(self, step):
        """How far the newest block is faded in."""
        if self.fade_steps == 0:
            return 1.0
        return min(1.0, (step + 1) / self.fade_steps)


STAGES = [Stage(0, 5, 0), Stage(1, 7, 3)]
