import torch
from curriculum import Curriculum
from dynamics import Dynamics, rollout
from flights import FlightLog
from torch import optim


def train_epoch(dynamics, log, curriculum, optimizer, ema):
    for states, controls in log:
        horizon = curriculum.horizon
        path = rollout(dynamics, states[0], controls, horizon)
        error = (path - states[1 : horizon + 1]).square().mean((1, 2))
        loss = error.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        curriculum.advance()
        ema["loss"] = 0.9 * ema.get("loss", loss.item()) + 0.1 * loss.item()


@torch.no_grad()
def evaluate(dynamics, log):
    errors = []
    for states, controls in log:
        path = rollout(dynamics, states[0], controls, len(controls))
        errors.append((path - states[1:]).norm(dim=-1).mean().item())
    return sum(errors) / len(errors)


def main():
    torch.manual_seed(2)
    dynamics, log, curriculum, ema = Dynamics(), FlightLog(), Curriculum(), {}
    optimizer = optim.Adam(dynamics.parameters(), lr=1e-2)
    for epoch in range(5):
        train_epoch(dynamics, log, curriculum, optimizer, ema)
        drift = evaluate(dynamics, log)
        print(f"epoch {epoch} horizon {curriculum.horizon} {ema['loss']:.4f} drift {drift:.3f}")


if __name__ == "__main__":
    main()
