import torch
from torch import nn


class FlowPolicy(nn.Module):
    def __init__(self, state_dim, action_dim, chunk, num_steps):
        super().__init__()
        self.num_steps = num_steps
        self.state_proj = nn.Linear(state_dim, 16)
        self.action_in = nn.Linear(action_dim, 16)
        self.time_in = nn.Linear(1, 16)
        self.action_out = nn.Linear(16, action_dim)

    def denoise_step(self, state, x_t, time):
        h = self.state_proj(state)[:, None] + self.action_in(x_t) + self.time_in(time.reshape(1, 1, 1))
        return self.action_out(torch.tanh(h))

    def sample_actions(self, state, noise):
        dt = torch.tensor(-1.0 / self.num_steps)
        x_t = noise
        time = torch.tensor(1.0)
        while time >= -dt / 2:
            v_t = self.denoise_step(state, x_t, time)
            x_t = x_t + dt * v_t
            time = time + dt
        return x_t
