import torch
from policy import FlowPolicy


def main():
    torch.manual_seed(0)
    policy = FlowPolicy(state_dim=6, action_dim=4, chunk=5, num_steps=8).eval()
    policy.sample_actions = torch.compile(policy.sample_actions, backend="aot_eager")
    total = 0.0
    for episode in range(3):
        g = torch.Generator().manual_seed(episode)
        state = torch.randn(1, 6, generator=g)
        noise = torch.randn(1, 5, 4, generator=g)
        with torch.no_grad():
            actions = policy.sample_actions(state, noise)
        print(f"episode {episode} first action {[round(v, 3) for v in actions[0, 0].tolist()]}")
        total += actions.abs().mean().item()
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
