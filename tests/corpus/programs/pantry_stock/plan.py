"""When which part of the model may learn."""

from dataclasses import dataclass, field


@dataclass
class Phase:
    begins: int
    parts: tuple[str, ...]


@dataclass
class Plan:
    phases: list[Phase] = field(
        default_factory=lambda: [
            Phase(0, ("head",)),
            Phase(1, ("head", "mixer")),
            Phase(2, ("head", "mixer", "tables")),
        ]
    )

    def at(self, epoch):
        return max((one for one in self.phases if one.begins <= epoch), key=lambda one: one.begins)


def free(model, phase):
    for name, part in model.named_children():
        part.requires_grad_(name in phase.parts)
