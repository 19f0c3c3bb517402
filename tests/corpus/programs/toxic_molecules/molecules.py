"""Molecules as bags of atoms with positions; toxic if two halogens are near each other."""

import torch

HALOGENS = (4, 5)


class Molecules:
    def __init__(self, molecules, batch, smallest, largest, seed):
        self.batch = batch
        g = torch.Generator().manual_seed(seed)
        sizes = torch.randint(smallest, largest + 1, (molecules,), generator=g).tolist()
        self.rows = []
        for size in sizes:
            atoms = torch.randint(1, 7, (size,), generator=g)
            place = torch.randn(size, 3, generator=g)
            halogen = sum(atoms == h for h in HALOGENS).bool()
            near = torch.cdist(place[halogen], place[halogen]) < 1.5
            toxic = near.sum() > halogen.sum()
            self.rows.append((atoms, place, toxic.float()))

    def __iter__(self):
        for at in range(0, len(self.rows), self.batch):
            yield collate(self.rows[at : at + self.batch])


def collate(rows):
    longest = max(len(atoms) for atoms, _, _ in rows)
    atoms = torch.zeros(len(rows), longest, dtype=torch.long)
    places = torch.zeros(len(rows), longest, 3)
    for i, (kinds, place, _) in enumerate(rows):
        atoms[i, : len(kinds)] = kinds
        places[i, : len(kinds)] = place
    return atoms, places, torch.stack([toxic for _, _, toxic in rows])
