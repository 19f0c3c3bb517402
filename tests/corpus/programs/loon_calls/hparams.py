"""Hyperparameters of the recipe."""

hparams = {
    "seed": 1986,
    "number_of_epochs": 2,
    "batch_size": 8,
    "lr": 0.002,
    "n_mels": 12,
    "frames": 24,
    "d_model": 16,
    "num_layers": 3,
    "layerdrop_prob": 0.25,
    "max_frames": 40,
    "n_classes": 3,
    "mask_frames": 6,
}
