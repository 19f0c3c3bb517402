import torch
from env import PointEnv
from rl_module import PolicyModule


def main():
    torch.manual_seed(0)
    module = PolicyModule(obs=4, actions=3)
    module.compile_forwards(backend="aot_eager")
    opt = torch.optim.Adam(module.parameters(), lr=0.01)
    env = PointEnv(n=8, seed=5)
    for it in range(5):
        obs_l, act_l, rew_l = [], [], []
        obs = env.reset()
        with torch.no_grad():
            for _ in range(6):
                action = module.exploration(obs, env.noise(3))
                obs_l.append(obs)
                obs, reward = env.step(action)
                act_l.append(action)
                rew_l.append(reward)
        ret = torch.stack(rew_l).flip(0).cumsum(0).flip(0).flatten()
        logp, value = module.train_pass(torch.cat(obs_l), torch.cat(act_l))
        loss = -(logp * (ret - value.detach())).mean() + (ret - value).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            best = module.inference(env.reset()).float().mean().item()
        print(f"iteration {it} return {ret[:8].mean().item():.4f} mean action {best:.3f}")
    print("FINAL", round(loss.item(), 4))


if __name__ == "__main__":
    main()
