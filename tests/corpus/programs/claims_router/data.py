import torch


def synthetic_claims(n, vocab=40, seed=0):
    g = torch.Generator().manual_seed(seed)
    claims = []
    for _ in range(n):
        length = int(torch.randint(4, 19, (1,), generator=g))
        words = torch.randint(1, vocab, (length,), generator=g)
        claims.append({"words": words, "desk": int(words.sum()) % 3})
    return claims


def pad_collate(claims, max_tokens):
    words = torch.zeros(len(claims), max_tokens, dtype=torch.long)
    for row, claim in zip(words, claims, strict=True):
        row[: len(claim["words"])] = claim["words"]
    desk = torch.tensor([claim["desk"] for claim in claims])
    return {"words": words, "mask": words.ne(0), "desk": desk}
