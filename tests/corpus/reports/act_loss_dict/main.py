import torch
from policy import ACTPolicy
from train import update_policy


def batches(n):
    for i in range(n):
        g = torch.Generator().manual_seed(i)
        obs = torch.randn(8, 6, generator=g)
        yield {"observation": obs, "action": torch.sin(obs[:, :3]), "eps": torch.randn(8, 4, generator=g)}


def main():
    torch.manual_seed(0)
    policy = ACTPolicy(obs_dim=6, action_dim=3, latent=4, kl_weight=0.1)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    compiled = torch.compile(policy)
    for step, batch in enumerate(batches(5)):
        loss, parts = update_policy(compiled, batch, optimizer)
        print(f"step {step} loss {loss:.4f} l1 {parts['l1_loss']:.4f} kld {parts['kld_loss']:.4f}")
    print("FINAL", round(loss, 5))


if __name__ == "__main__":
    main()
