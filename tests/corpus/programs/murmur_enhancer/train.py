"""Speech enhancement: predict a ratio mask on the magnitude spectrogram."""

import torch
import torch.nn.functional as F
from data import Murmurs
from torch import nn
from torch._dynamo import compiled_autograd
from torch.utils.data import DataLoader

N_FFT, HOP = 128, 64
BATCH_SIZE = 4
ACCUM = 4  # effective batch of 16
EPOCHS = 2


class MaskNet(nn.Module):
    def __init__(self, bins=N_FFT // 2 + 1, channels=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(bins, channels, 5, padding=2),
            nn.PReLU(),
            nn.Conv1d(channels, channels, 5, padding=2, groups=4),
            nn.PReLU(),
            nn.Conv1d(channels, bins, 1),
        )

    def forward(self, mag):
        return torch.sigmoid(self.net(torch.log1p(mag)))


window = torch.hann_window(N_FFT)


def spec(wave):
    return torch.stft(wave, N_FFT, HOP, window=window, return_complex=True)


def si_sdr(est, ref):
    ref = ref - ref.mean(-1, keepdim=True)
    est = est - est.mean(-1, keepdim=True)
    proj = (est * ref).sum(-1, keepdim=True) / ref.square().sum(-1, keepdim=True) * ref
    return 10 * torch.log10(proj.square().sum(-1) / (est - proj).square().sum(-1))


torch.manual_seed(0)
loader = DataLoader(Murmurs(), batch_size=BATCH_SIZE, shuffle=True, drop_last=True)
model = MaskNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)

with compiled_autograd._enable(torch.compile(backend="aot_eager")):
    for epoch in range(EPOCHS):
        running = 0.0
        for i, (noisy, clean) in enumerate(loader):
            noisy_mag, clean_mag = spec(noisy).abs(), spec(clean).abs()
            mask = model(noisy_mag)
            loss = F.l1_loss(mask * noisy_mag, clean_mag)
            (loss / ACCUM).backward()
            running += loss.item()

            if (i + 1) % ACCUM == 0 or i + 1 == len(loader):
                nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
                optimizer.zero_grad()
        print(f"epoch {epoch}: loss {running / len(loader):.4f}")

with torch.no_grad():
    noisy, clean = next(iter(loader))
    mixture = spec(noisy)
    enhanced = torch.istft(mixture * model(mixture.abs()), N_FFT, HOP, window=window)
    gain = si_sdr(enhanced, clean[:, : enhanced.shape[-1]]) - si_sdr(noisy, clean)
print(f"SI-SDR improvement: {gain.mean().item():.2f} dB")
