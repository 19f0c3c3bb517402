"""Parts of a model that learn only after a while."""


class LateLearner:
    """A module whose front end keeps its pretrained weights for the first batches."""

    frozen_for = 4
    seen = 0

    def _allow(self, wanted):
        for parameter in self.front.parameters():
            parameter.requires_grad = wanted

    def before_batch(self):
        self._allow(self.seen >= self.frozen_for)
        self.seen += 1
