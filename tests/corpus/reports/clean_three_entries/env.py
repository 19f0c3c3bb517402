import torch


class PointEnv:
    def __init__(self, n, seed):
        self.n, self.g = n, torch.Generator().manual_seed(seed)

    def noise(self, actions):
        return -torch.log(-torch.log(torch.rand(self.n, actions, generator=self.g).clamp(1e-6, 1 - 1e-6)))

    def reset(self):
        self.x = torch.randn(self.n, 2, generator=self.g)
        self.goal = torch.randn(self.n, 2, generator=self.g)
        return torch.cat([self.x, self.goal], 1)

    def step(self, action):
        move = torch.tensor([[0.0, 0.0], [0.3, 0.0], [0.0, 0.3]])[action]
        self.x = self.x + move
        return torch.cat([self.x, self.goal], 1), -(self.x - self.goal).norm(dim=1)
