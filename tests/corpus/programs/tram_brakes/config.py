from types import SimpleNamespace

cfg = SimpleNamespace(
    seed=31,
    rows=90,
    batch_size=16,
    epochs=3,
    accumulate=2,
    lr=3e-3,
    mixup=0.3,
    smooth_from=0.2,
    smooth_to=0.0,
    backend="aot_eager",
)
