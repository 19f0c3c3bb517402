TEXT = """
seed: 17
rows: 50
channels: 3
batch_size: 8
width: 8
epochs: 2
accumulate: 2
log_every: 4
clip: 1.0
decay: 0.01
lr: 0.002
"""


def load(text=TEXT):
    cfg = {}
    for line in text.strip().splitlines():
        key, value = line.split(": ")
        cfg[key] = float(value) if "." in value else int(value)
    return cfg
