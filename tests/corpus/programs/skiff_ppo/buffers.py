import torch


class RolloutBuffer:
    """Fixed storage of one rollout of all environments."""

    def __init__(self, num_steps, num_envs, obs_dim, act_dim):
        self.obs = torch.zeros(num_steps, num_envs, obs_dim)
        self.actions = torch.zeros(num_steps, num_envs, act_dim)
        self.logprobs = torch.zeros(num_steps, num_envs)
        self.rewards = torch.zeros(num_steps, num_envs)
        self.dones = torch.zeros(num_steps, num_envs)
        self.values = torch.zeros(num_steps, num_envs)

    def put(self, step, **entries):
        for name, value in entries.items():
            getattr(self, name)[step] = value

    def advantages(self, next_value, next_done, gamma, gae_lambda):
        advantages = torch.zeros_like(self.rewards)
        last = torch.zeros_like(next_value)
        num_steps = len(self.rewards)
        for t in reversed(range(num_steps)):
            if t == num_steps - 1:
                alive, value = 1.0 - next_done, next_value
            else:
                alive, value = 1.0 - self.dones[t + 1], self.values[t + 1]
            delta = self.rewards[t] + gamma * value * alive - self.values[t]
            advantages[t] = last = delta + gamma * gae_lambda * alive * last
        return advantages, advantages + self.values

    def flat(self, *more):
        own = (self.obs, self.actions, self.logprobs, self.values)
        return [x.flatten(0, 1) for x in (*own, *more)]


def minibatches(batch_size, minibatch_size):
    order = torch.randperm(batch_size)
    for start in range(0, batch_size, minibatch_size):
        yield order[start : start + minibatch_size]
