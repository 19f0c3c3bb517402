import torch
from callbacks import BlendIn, ClampGradients, Progress
from flow import power, windows
from run import Forecaster, Run

BACK, AHEAD = 24, 6

if __name__ == "__main__":
    torch.manual_seed(14)
    series = power(hours=400, seed=14)
    run = Run(
        Forecaster(BACK, AHEAD),
        [Progress(), ClampGradients(limit=0.05), BlendIn(steps=6)],
        lr=3e-3,
    )
    run.fit(windows(series, BACK, AHEAD, batch=16, seed=15), steps=7)
    print(f"final {run.loss.item():.4f}")
