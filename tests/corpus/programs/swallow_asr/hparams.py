hparams = {
    "seed": 4234,
    "utterances": 36,
    "batch_size": 6,
    "epochs": 2,
    "n_mels": 12,
    "frames": 40,
    "units": 24,
    "n_tokens": 12,
    "lr": 4e-3,
    "max_grad_norm": 5.0,
    "log_interval": 5,
}
