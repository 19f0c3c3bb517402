"""Settings of the compile, as the launcher hands them down in the environment."""
import os
from dataclasses import dataclass, field


def flag(name, default):
    return os.environ.get(name, default).lower() in ("1", "true", "yes")


@dataclass
class CompilePlugin:
    backend: str = "eager"
    dynamic: bool = field(default_factory=lambda: flag("TRAIN_USE_DYNAMIC", "False"))

    def kwargs(self):
        return {"backend": self.backend, "dynamic": self.dynamic}
