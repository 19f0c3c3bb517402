import torch
from planner import TDMPC2


def main():
    torch.manual_seed(0)
    agent = TDMPC2(obs_dim=6, action_dim=2, horizon=3)
    agent.warm_up()
    total = 0.0
    for episode in range(4):
        eval_mode = episode % 2 == 1
        g = torch.Generator().manual_seed(episode)
        obs = torch.randn(6, generator=g)
        for t in range(5):
            a = agent.act(obs, torch.randn(3, 16, 2, generator=g), t0=t == 0, eval_mode=eval_mode)
            obs = torch.tanh(obs.roll(1) + a.sum())
        print(f"episode {episode} {'eval' if eval_mode else 'train'} |obs| {obs.norm().item():.4f}")
        total += obs.norm().item()
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
