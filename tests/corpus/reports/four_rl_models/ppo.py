import torch


class PPO:
    max_len = 16

    def __init__(self, policy, value, reference, reward):
        self.policy, self.value, self.reference, self.reward = policy, value, reference, reward
        self.opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.01)

    def logprobs(self, model, tokens):
        return model(tokens)[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]

    def batch(self, tokens):
        return tokens

    def step(self, tokens, prompt_len):
        length = tokens.shape[1]
        tokens = self.batch(tokens)
        with torch.no_grad():
            ref = self.logprobs(self.reference, tokens)[:, prompt_len - 1:length - 1]
            score = self.reward(tokens)[:, length - 1, 0]
        logp = self.logprobs(self.policy, tokens)[:, prompt_len - 1:length - 1]
        v = self.value(tokens)[:, length - 1, 0]
        kl = (logp - ref).mean()
        loss = (v - score).pow(2).mean() - (logp.sum(1) * (score - v).detach()).mean() + 0.1 * kl
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
