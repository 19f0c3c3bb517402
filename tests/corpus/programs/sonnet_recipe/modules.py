import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.scale


class LoRALinear(nn.Module):
    """A frozen linear layer with a low-rank update.

    Args:
        in_dim (int): input dimension
        out_dim (int): output dimension
        rank (int): rank of the update
        alpha (float): scaling factor of the update
    """

    def __init__(self, in_dim: int, out_dim: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.rank, self.alpha = rank, alpha
        self.weight = nn.Parameter(torch.empty(out_dim, in_dim), requires_grad=False)
        self.lora_a = nn.Linear(in_dim, rank, bias=False)
        self.lora_b = nn.Linear(rank, out_dim, bias=False)
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)
        nn.init.zeros_(self.lora_b.weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = nn.functional.linear(x, self.weight)
        return out + (self.alpha / self.rank) * self.lora_b(self.lora_a(x))


class TransformerSelfAttentionLayer(nn.Module):
    def __init__(self, dim: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.sa_norm, self.mlp_norm = RMSNorm(dim), RMSNorm(dim)
        self.q_proj = LoRALinear(dim, dim, rank, alpha)
        self.v_proj = LoRALinear(dim, dim, rank, alpha)
        self.mlp = nn.Sequential(
            LoRALinear(dim, 2 * dim, rank, alpha), nn.SiLU(), LoRALinear(2 * dim, dim, rank, alpha)
        )

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        h = self.sa_norm(x)
        scores = self.q_proj(h) @ h.transpose(1, 2) * h.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        x = x + scores.softmax(-1) @ self.v_proj(h)
        return x + self.mlp(self.mlp_norm(x))


class TransformerDecoder(nn.Module):
    def __init__(self, vocab_size: int, dim: int, layers: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocab_size, dim)
        self.layers = nn.ModuleList(
            TransformerSelfAttentionLayer(dim, rank, alpha) for _ in range(layers)
        )
        self.norm = RMSNorm(dim)
        self.output = nn.Linear(dim, vocab_size, bias=False)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        h = self.tok_embeddings(tokens)
        for layer in self.layers:
            h = layer(h, mask)
        return self.output(self.norm(h))


def get_adapter_params(model: nn.Module) -> dict[str, nn.Parameter]:
    return {name: p for name, p in model.named_parameters() if "lora" in name}


def set_trainable_params(model: nn.Module, adapter_params: dict[str, nn.Parameter]) -> None:
    for name, p in model.named_parameters():
        p.requires_grad_(name in adapter_params)
