"""Features of profiles of wind: speeds at a few heights, hour by hour."""

import numpy as np
import torch

HEIGHTS = (10.0, 40.0, 80.0, 120.0, 200.0)
HUBS = (65.0, 100.0, 140.0)


class Featurizer:
    width = len(HEIGHTS)

    def __call__(self, profiles):
        return self.features(profiles)

    def features(self, profiles):
        return profiles


class Shear(Featurizer):
    """How speed grows with height."""

    width = len(HEIGHTS) - 1

    def features(self, profiles):
        steps = torch.tensor(HEIGHTS).log().diff()
        return profiles.clamp(min=0.1).log().diff(dim=-1) / steps


class AtHubs(Featurizer):
    """Speeds at the heights of hubs."""

    width = len(HUBS)

    def features(self, profiles):
        found = [np.interp(HUBS, HEIGHTS, column) for column in profiles.numpy()]
        return torch.from_numpy(np.stack(found)).float()
