import torch
from augment import Detune, Ramp

torch.manual_seed(0)
detune = Detune(0.0)
ramp = Ramp(detune, "strength", [0.1, 0.2, 0.35, 0.5])
for epoch in range(5):
    ramp.step(epoch)
    for _ in range(2):
        wave = detune(torch.randn(32))
    print(epoch, wave.norm().item())
