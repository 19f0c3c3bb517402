import torch
from policy import Policy

TASKS = ["pick the red cube", "open the drawer", "push the button", "pick the blue cube", "close the drawer"]


def main():
    torch.manual_seed(0)
    policy = Policy(dim=16, action_dim=6).eval()
    policy.sample_actions = torch.compile(policy.sample_actions, backend="aot_eager")
    g = torch.Generator().manual_seed(3)
    total = 0.0
    with torch.no_grad():
        for episode, task in enumerate(TASKS):
            for t in range(2):
                actions = policy.sample_actions(torch.randn(1, 8, generator=g), task)
            total += actions.abs().sum().item()
            print(f"episode {episode} '{task}' first action {actions[0, 0].item():.4f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
