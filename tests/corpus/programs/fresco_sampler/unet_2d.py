import torch
import torch.nn as nn
import torch.nn.functional as F


class UNet2DConditionModel(nn.Module):
    def __init__(self, in_channels=4, block_channels=8, cross_attention_dim=6):
        super().__init__()
        self.conv_in = nn.Conv2d(in_channels, block_channels, 3, padding=1)
        self.time_proj = nn.Linear(2, block_channels)
        self.text_proj = nn.Linear(cross_attention_dim, block_channels)
        self.down = nn.Conv2d(block_channels, block_channels, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(block_channels, block_channels, 4, stride=2, padding=1)
        self.conv_out = nn.Conv2d(block_channels, in_channels, 3, padding=1)

    def forward(self, sample, timestep, encoder_hidden_states, control_residual=None):
        t = timestep.float().expand(sample.shape[0]) / 1000
        emb = self.time_proj(torch.stack([t.sin(), t.cos()], dim=-1))
        emb = emb + self.text_proj(encoder_hidden_states.mean(1))
        hidden = F.silu(self.conv_in(sample) + emb[:, :, None, None])
        if control_residual is not None:
            hidden = hidden + control_residual
        hidden = hidden + self.up(F.silu(self.down(hidden)))
        return self.conv_out(F.silu(hidden))
