"""Episodes of photographs of buttons: some classes, a few shots of each, and queries."""

import torch


class Buttons:
    def __init__(self, classes=12, per_class=10, size=12, seed=0):
        g = torch.Generator().manual_seed(seed)
        centers = torch.rand(classes, 1, 3, size, size, generator=g)
        noise = 0.3 * torch.randn(classes, per_class, 3, size, size, generator=g)
        self.images = centers + noise


class EpisodeSampler:
    """Which classes and which shots is drawn anew; how many is the same in every episode."""

    def __init__(self, buttons, way=4, shot=3, query=5, seed=0):
        self.images = buttons.images
        self.way, self.shot, self.query = way, shot, query
        self.generator = torch.Generator().manual_seed(seed)

    def __iter__(self):
        return self

    def __next__(self):
        classes = torch.randperm(len(self.images), generator=self.generator)[: self.way]
        rows = []
        for cls in classes.tolist():
            order = torch.randperm(self.images.shape[1], generator=self.generator)
            rows.append(self.images[cls, order[: self.shot + self.query]])
        images = torch.stack(rows)
        labels = torch.arange(self.way).repeat_interleave(self.query)
        return {
            "support": images[:, : self.shot],
            "query": images[:, self.shot :].flatten(0, 1),
            "labels": labels,
        }
