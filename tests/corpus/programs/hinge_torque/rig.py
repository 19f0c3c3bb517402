# Test rig for door hinges: angle, speed, temperature, grease age -> torque [Nm]
import numpy as np
import torch

N_FEATURES = 4
_rng = np.random.default_rng(42)


def measure(n):
    angle = _rng.uniform(0.0, np.pi / 2, n)
    speed = _rng.normal(0.0, 1.0, n)
    temp = _rng.uniform(-10.0, 40.0, n) / 40.0
    grease = _rng.exponential(1.0, n)
    torque = 0.8 * np.sin(angle) + 0.3 * np.sign(speed) * np.exp(-temp) + 0.1 * grease
    x = np.stack([angle, speed, temp, grease], axis=1).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(torque.astype(np.float32))
