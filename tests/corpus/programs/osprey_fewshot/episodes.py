"""Episodes: some ways, some shots, from features of birds of prey."""

import numpy as np
import torch


class Birds:
    def __init__(self, species=20, per_species=30, dim=12, seed=4):
        rng = np.random.default_rng(seed)
        self.centers = rng.normal(size=(species, dim))
        noise = rng.normal(size=(species, per_species, dim))
        self.features = (self.centers[:, None] + 0.7 * noise).astype(np.float32)


class EpisodeSampler:
    def __init__(self, birds, ways, shots, queries, seed):
        self.birds, self.ways, self.shots, self.queries = birds, ways, shots, queries
        self.rng = np.random.default_rng(seed)

    def __call__(self):
        species, per_species, _ = self.birds.features.shape
        chosen = self.rng.choice(species, self.ways, replace=False)
        support, query = [], []
        for one in chosen:
            order = self.rng.permutation(per_species)[: self.shots + self.queries]
            rows = torch.from_numpy(self.birds.features[one, order])
            support.append(rows[: self.shots])
            query.append(rows[self.shots :])
        labels = torch.arange(self.ways)
        return (
            torch.cat(support),
            labels.repeat_interleave(self.shots),
            torch.cat(query),
            labels.repeat_interleave(self.queries),
        )
