import torch
from integrate import solve


def pull(t, y):
    return -y * (1 + t)


torch.manual_seed(0)
grid = [0.1 * i for i in range(6)]
print(solve(pull, torch.randn(3, 2), grid))
