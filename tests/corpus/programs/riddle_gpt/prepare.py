import numpy as np

RIDDLES = """what has keys but opens no lock a piano what has hands but can not clap a clock
what gets wetter the more it dries a towel what has a neck but no head a bottle
what can travel round the world and stay in its corner a stamp """


def encode(text):
    chars = sorted(set(text))
    stoi = {ch: i for i, ch in enumerate(chars)}
    return np.array([stoi[c] for c in text], dtype=np.uint16), len(chars)


def splits(repeat=6):
    ids, vocab_size = encode(RIDDLES * repeat)
    n = int(0.9 * len(ids))
    return {"train": ids[:n], "val": ids[n:]}, vocab_size
