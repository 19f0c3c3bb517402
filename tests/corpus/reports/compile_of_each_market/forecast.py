import torch


def windows(series, lags):
    return series.unfold(-1, lags, 1)


def forecast(series, kernel):
    """Weighted mean of the last lags, for every shop of the market."""
    lags = kernel.shape[0]
    level = series.mean(-1, keepdim=True)
    swing = series - level
    smooth = (windows(swing, lags) * kernel).sum(-1)
    trend = torch.tanh(smooth[..., -1:] - smooth[..., :1])
    return level + smooth[..., -3:] + trend
