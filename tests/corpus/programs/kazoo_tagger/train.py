import torch
import torch.nn as nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader, TensorDataset

SAMPLE_RATE = 4000
N_FFT = 64
LABELS = ["kazoo", "ocarina", "melodica"]


def synthesize(n=48, seconds=0.25):
    g = torch.Generator().manual_seed(11)
    t = torch.arange(int(SAMPLE_RATE * seconds)) / SAMPLE_RATE
    y = torch.randint(len(LABELS), (n,), generator=g)
    pitch = 180 + 240 * torch.rand(n, 1, generator=g)
    wave = torch.zeros(n, len(t))
    for k in range(1, 6):
        strength = (1.0 / k) ** (1 + y.float().unsqueeze(1))
        wave += strength * torch.sin(2 * torch.pi * k * pitch * t)
    return wave + 0.02 * torch.randn(wave.shape, generator=g), y


class LogSpectrogram(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(N_FFT))

    @torch.no_grad()
    def forward(self, wave):
        spec = torch.stft(wave, N_FFT, N_FFT // 2, window=self.window, return_complex=True)
        return torch.log(spec.abs().pow(2) + 1e-6)


class Tagger(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.features = LogSpectrogram()
        self.norm = nn.BatchNorm1d(N_FFT // 2 + 1)
        self.conv = nn.Conv1d(N_FFT // 2 + 1, width, 3, padding=1)
        self.head = nn.Linear(width, len(LABELS))

    def forward(self, wave):
        x = self.norm(self.features(wave))
        return self.head(torch.relu(self.conv(x)).amax(dim=-1))


def watch(model):
    def guard(name):
        def hook(grad):
            if not torch.isfinite(grad).all():
                print(f"non-finite gradient in {name}, zeroed")
                return torch.zeros_like(grad)
            return grad

        return hook

    for name, p in model.named_parameters():
        p.register_hook(guard(name))


torch.manual_seed(0)
model = Tagger()
watch(model)
loader = DataLoader(TensorDataset(*synthesize()), batch_size=12, shuffle=True)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)

for epoch in range(3):
    total = 0.0
    for wave, y in loader:
        loss = loss_fn(model(wave), y)
        opt.zero_grad()
        with compiled_autograd._enable(torch.compile(backend="eager")):
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.4f}")
