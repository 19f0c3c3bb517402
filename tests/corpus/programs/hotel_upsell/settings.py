CONFIG = {
    "seed": 23,
    "rows": 210,
    "batch_size": 32,
    "eval_batch_size": 32,
    "epochs": 4,
    "lr": 4e-3,
    "warmup_steps": 6,
    "temperature": {"start": 2.0, "end": 0.8},
    "offers": 5,
    "ema_decay": 0.95,
    "backend": "aot_eager",
}
