"""Meta-learning with a closed-form head: features are learned, a ridge regression adapts them."""

import torch
from episodes import sample_episode
from torch import Tensor, nn

META_STEPS, META_BATCH = 12, 4
SHOTS, QUERIES = 10, 15


class RidgeLearner(nn.Module):
    def __init__(self, width: int = 32, features: int = 12) -> None:
        super().__init__()
        self.embed = nn.Sequential(
            nn.Linear(1, width), nn.ReLU(), nn.Linear(width, features), nn.Tanh()
        )
        self.log_lambda = nn.Parameter(torch.zeros(()))

    def adapt(self, x: Tensor, y: Tensor) -> Tensor:
        phi = self.embed(x)
        gram = phi.T @ phi + self.log_lambda.exp() * torch.eye(phi.shape[1])
        return torch.linalg.solve(gram, phi.T @ y)

    def forward(self, x_s: Tensor, y_s: Tensor, x_q: Tensor) -> Tensor:
        return self.embed(x_q) @ self.adapt(x_s, y_s)


def main() -> None:
    torch.manual_seed(3)
    learner = RidgeLearner()
    meta_opt = torch.optim.Adam(learner.parameters(), lr=3e-3)

    for step in range(META_STEPS):
        meta_opt.zero_grad()
        meta_loss = 0.0
        for _ in range(META_BATCH):
            x_s, y_s, x_q, y_q = sample_episode(SHOTS, QUERIES)
            loss = (learner(x_s, y_s, x_q) - y_q).square().mean()
            (loss / META_BATCH).backward()
            meta_loss += loss.item()
        meta_opt.step()
        if step % 3 == 0:
            print(step, f"{meta_loss / META_BATCH:.4f}", f"lambda {learner.log_lambda.exp():.3f}")


if __name__ == "__main__":
    main()
