"""Generate with a stack of recurrent mixers, each compiled by itself."""
import torch
import torch.nn as nn

from mixer import InferenceState, Mixer


@torch.no_grad()
def main():
    torch.manual_seed(14)
    width, depth = 12, 10
    layers = nn.ModuleList(Mixer(width, i) for i in range(depth)).eval()
    for layer in layers:
        layer.compile(backend="eager")
    state = InferenceState()
    for i in range(depth):
        state.slots[i] = torch.zeros(3, width)
    x = torch.randn(3, width)
    for _ in range(4):
        h = x
        for layer in layers:
            h = layer(h, state)
        x = torch.tanh(h)
    print(f"FINAL {x.norm().item():.5f}")


if __name__ == "__main__":
    main()
