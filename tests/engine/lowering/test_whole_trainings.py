"""Trainings as people write them, with optimizers, under all three ways: nothing differs.

Weights after some steps are compared to the bit, so one wrong gradient shows in all that follows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.nn.utils.parametrizations import spectral_norm, weight_norm
from torch.utils.checkpoint import checkpoint

from tests.engine.conftest import Backward, Program
from tests.engine.lowering.test_programs_of_every_kind import compare_all

TRAININGS: dict[str, Program] = {}


def training(run: Program) -> Program:
    TRAININGS[run.__name__] = run
    return run


def weights_of(*modules: nn.Module) -> list[torch.Tensor]:
    return [each.detach().clone() for module in modules for each in module.state_dict().values()]


class RMSNorm(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight


def rotated(x: torch.Tensor) -> torch.Tensor:
    """Rotary positions: halves of the last dimension as real and imaginary parts."""
    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(x.shape[-2]), 10.0 ** -torch.arange(half))
    one, two = x[..., :half], x[..., half:]
    return torch.cat(
        [one * angles.cos() - two * angles.sin(), two * angles.cos() + one * angles.sin()], -1
    )


class DecoderLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([RMSNorm(width), RMSNorm(width)])
        self.queries = nn.Linear(width, width, bias=False)
        self.keys_and_values = nn.Linear(width, width, bias=False)  # one head for two queries
        self.out = nn.Linear(width, width, bias=False)
        self.gate_and_up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(2 * width, width, bias=False)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        normed = self.norms[0](x)
        q = self.queries(normed).view(batch, length, self.heads, -1).transpose(1, 2)
        kv = self.keys_and_values(normed).view(batch, length, self.heads, -1).transpose(1, 2)
        k, v = kv.chunk(2, 1)
        k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        attended = functional.scaled_dot_product_attention(rotated(q), rotated(k), v, mask)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        gate, up = self.gate_and_up(self.norms[1](x)).chunk(2, -1)
        return x + self.down(functional.silu(gate) * up)


@training
def a_language_model_with_tied_weights(backward: Backward) -> Any:
    """Padding, gradients of two batches accumulated, clipped by their norm."""
    embedding, norm = nn.Embedding(13, 8, padding_idx=0), RMSNorm(8)
    layers = nn.ModuleList([DecoderLayer(8, 4) for _ in range(2)])
    modules = nn.ModuleList([embedding, norm, layers])
    optimizer = torch.optim.AdamW(modules.parameters(), lr=1e-2, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + step))
    told = []
    for _ in range(2):
        for _ in range(2):
            tokens = torch.randint(1, 13, (2, 6))
            tokens[0, 4:] = 0
            padding = (tokens != 0)[:, None, None, :-1]
            mask = padding & torch.ones(5, 5, dtype=torch.bool).tril()
            x = embedding(tokens[:, :-1])
            for layer in layers:
                x = layer(x, mask)
            logits = norm(x) @ embedding.weight.t()
            wanted = tokens[:, 1:].masked_fill(tokens[:, 1:] == 0, -100)
            loss = functional.cross_entropy(logits.flatten(0, 1).float(), wanted.flatten())
            backward(loss / 2)
            told.append(loss.detach())
        told.append(clip_grad_norm_(modules.parameters(), 0.5))
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    return told, weights_of(modules)


@training
def a_gan(backward: Backward) -> Any:
    """Two optimizers; the critic's gradients from the generator's loss are thrown away."""
    generator = nn.Sequential(
        nn.Linear(3, 8),
        nn.Unflatten(1, (2, 2, 2)),
        nn.ConvTranspose2d(2, 3, 3, padding=1),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.Upsample(scale_factor=2),
        weight_norm(nn.Conv2d(3, 1, 3, padding=1)),
        nn.Tanh(),
    )
    critic = nn.Sequential(
        spectral_norm(nn.Conv2d(1, 3, 3, stride=2, padding=1)),
        nn.LeakyReLU(0.2),
        nn.Dropout2d(0.3),
        nn.Flatten(),
        nn.Linear(12, 1),
    )
    by_generator = torch.optim.Adam(generator.parameters(), lr=1e-2, betas=(0.5, 0.9))
    by_critic = torch.optim.RMSprop(critic.parameters(), lr=1e-2)
    told = []
    for _ in range(2):
        by_critic.zero_grad()
        fake = generator(torch.randn(4, 3))
        backward(functional.softplus(-critic(torch.randn(4, 1, 4, 4))).mean())
        backward(functional.softplus(critic(fake.detach())).mean())
        by_critic.step()
        by_generator.zero_grad(set_to_none=False)
        loss = functional.softplus(-critic(fake)).mean()
        backward(loss)
        by_generator.step()
        told.append(loss.detach())
    return told, weights_of(generator, critic)


@training
def a_recurrent_network_through_windows(backward: Backward) -> Any:
    """Backpropagation through time that ends with each window; the state goes on."""
    cells = nn.ModuleList([nn.LSTMCell(3, 4), nn.LSTMCell(4, 4)])
    out = nn.Linear(4, 3)
    modules = nn.ModuleList([cells, out])
    optimizer = torch.optim.SGD(modules.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    states = [(torch.zeros(2, 4), torch.zeros(2, 4)) for _ in cells]
    series = torch.randn(7, 2, 3)
    told = []
    for start in (0, 2, 4):
        states = [(hidden.detach(), cell.detach()) for hidden, cell in states]
        loss = torch.zeros(())
        for now, then in pairwise(series[start : start + 3]):
            x = now
            for index, cell in enumerate(cells):
                states[index] = cell(x, states[index])
                x = states[index][0]
            loss = loss + functional.mse_loss(out(x), then)
        optimizer.zero_grad(set_to_none=False)
        backward(loss)
        clip_grad_value_(modules.parameters(), 0.1)
        optimizer.step()
        told.append(loss.detach())
    return told, states, weights_of(modules)


class Quantized(torch.autograd.Function):
    """Rounds to multiples of a step that is learned, and lets gradients pass within the range."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        scaled = x / step
        ctx.save_for_backward(scaled, step)
        return scaled.clamp(-4, 3).round() * step

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        scaled, _ = ctx.saved_tensors
        inside = (scaled >= -4) & (scaled <= 3)
        of_step = torch.where(inside, scaled.round() - scaled, scaled.clamp(-4, 3))
        return grads[0] * inside, (grads[0] * of_step).sum()


@training
def quantized_layers_in_checkpoints(backward: Backward) -> Any:
    steps = nn.ParameterList([torch.tensor(0.1), torch.tensor(0.2)])
    layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
    modules = nn.ModuleList([steps, layers])
    optimizer = torch.optim.Adagrad(modules.parameters(), lr=0.05)

    def block(x: torch.Tensor, index: int) -> torch.Tensor:
        layer: Any = layers[index]
        weight: Any = Quantized.apply(layer.weight, steps[index])
        return functional.dropout(functional.linear(x, weight, layer.bias).relu(), 0.2)

    for _ in range(3):
        x = torch.randn(5, 4)
        for index in range(2):
            x = checkpoint(block, x, index, use_reentrant=False)
            x.register_hook(lambda grad: grad.clamp(-1, 1))
        optimizer.zero_grad()
        backward(x.square().mean())
        optimizer.step()
    return weights_of(modules)


class SpectralConv(nn.Module):
    """Multiplies the lowest frequencies by complex weights."""

    def __init__(self, channels: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        weight = torch.randn(channels, channels, modes, modes, dtype=torch.complex64)
        self.weight = nn.Parameter(weight / channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.fft.rfft2(x, norm="ortho")
        low = spectrum[..., : self.modes, : self.modes]
        out = torch.zeros_like(spectrum)
        out[..., : self.modes, : self.modes] = torch.einsum("bixy,ioxy->boxy", low, self.weight)
        return torch.fft.irfft2(out, s=x.shape[-2:], norm="ortho")


@training
def a_fourier_neural_operator(backward: Backward) -> Any:
    layers = nn.ModuleList([SpectralConv(2, 3) for _ in range(2)])
    around = nn.ModuleList([nn.Conv2d(2, 2, 1) for _ in range(2)])
    modules = nn.ModuleList([layers, around])
    optimizer = torch.optim.Adam(modules.parameters(), lr=1e-2, foreach=True)
    told = []
    for _ in range(2):
        x = target = torch.randn(2, 2, 6, 6)
        for spectral, local in zip(layers, around, strict=True):
            x = functional.gelu(spectral(x) + local(x))
        loss = (x - target).norm() / target.norm()
        optimizer.zero_grad()
        backward(loss)
        optimizer.step()
        told.append(loss.detach())
    return told, weights_of(modules)


@training
def a_policy_in_several_epochs(backward: Backward) -> Any:
    """Clipped ratios, an entropy bonus, and a critic on the same body."""
    body, actor, critic = nn.Linear(3, 6), nn.Linear(6, 4), nn.Linear(6, 1)
    modules = nn.ModuleList([body, actor, critic])
    optimizer = torch.optim.NAdam(modules.parameters(), lr=1e-2)
    seen, rewards = torch.randn(8, 3), torch.randn(8)
    with torch.no_grad():
        before = torch.distributions.Categorical(logits=actor(body(seen).tanh()))
        actions = before.sample()
        old = before.log_prob(actions)
    for _ in range(3):
        for batch in torch.randperm(8).split(4):
            hidden = body(seen[batch]).tanh()
            policy = torch.distributions.Categorical(logits=actor(hidden))
            value = critic(hidden).squeeze(-1)
            advantage = rewards[batch] - value.detach()
            ratio = (policy.log_prob(actions[batch]) - old[batch]).exp()
            gain = torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
            loss = -gain.mean() + (value - rewards[batch]).square().mean()
            optimizer.zero_grad()
            backward(loss - 0.01 * policy.entropy().mean())
            optimizer.step()
    return weights_of(modules)


@training
def half_precision_with_a_scale(backward: Backward) -> Any:
    """A step that overflows is left out, and the scale halved."""
    model = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)
    scales = []
    for factor in (1.0, float("inf"), 1.0):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(torch.randn(3, 4))
            loss = functional.smooth_l1_loss(out, torch.zeros(3, 2)) * factor
        optimizer.zero_grad()
        backward(scaler.scale(loss))
        scaler.unscale_(optimizer)
        clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    return scales, weights_of(model)


@training
def siamese_encoders(backward: Backward) -> Any:
    """The second is a moving average of the first; views of one batch, and a queue of negatives."""
    online, moving = (nn.Sequential(nn.Linear(4, 5), nn.ELU(), nn.Linear(5, 3)) for _ in range(2))
    moving.load_state_dict(online.state_dict())
    moving.requires_grad_(False)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1, weight_decay=1e-3)
    queue = functional.normalize(torch.randn(6, 3))
    for _ in range(3):
        x = torch.randn(2, 4)
        query = functional.normalize(online(x + 0.1 * torch.randn_like(x)))
        key = functional.normalize(moving(x))
        logits = torch.cat([(query * key).sum(1, keepdim=True), query @ queue.t()], 1) / 0.2
        optimizer.zero_grad()
        backward(functional.cross_entropy(logits, torch.zeros(2, dtype=torch.long)))
        optimizer.step()
        with torch.no_grad():
            queue = torch.cat([key, queue[:-2]])
            for average, weight in zip(moving.parameters(), online.parameters(), strict=True):
                average.lerp_(weight, 0.1)
    return queue, weights_of(online, moving)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("name", TRAININGS)
def test_weights_are_the_same_to_the_bit(name: str, backend: str) -> None:
    outcome = compare_all(TRAININGS[name], backend)
    assert "error" not in outcome.ways
    if backend == "eager":
        assert set(outcome.ways) == {"lowered"}
