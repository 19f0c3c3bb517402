"""Learns where postcodes are."""

import random
import time

import settings
import torch
from geocoder import Geocoder, encode, haversine_ish

torch.manual_seed(17)
model = Geocoder()
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)


rng = random.Random(5)


def postcodes(count):
    codes, places = [], []
    for _ in range(count):
        area, district = rng.choice("BDEGLMNS"), rng.randint(1, 9)
        codes.append(
            f"{area}{district} {rng.randint(1, 9)}{rng.choice('ABDE')}{rng.choice('FGHJ')} "
        )
        places.append(("BDEGLMNS".index(area) / 8, district / 9))
    return encode(codes), torch.tensor(places)


@torch.compile(backend="eager")
def distance(codes, place):
    began = time.perf_counter()
    guess = model(codes)
    print("  guessed in", time.perf_counter() - began, "s")
    return haversine_ish(guess, place)


def main(epochs=4, steps=3):
    for epoch in range(epochs):
        for _ in range(steps):
            optimizer.zero_grad()
            loss = distance(*postcodes(24))
            loss.backward()
            optimizer.step()
        print(epoch, settings.PHASE, round(loss.item(), 3))
        settings.advance()


if __name__ == "__main__":
    main()
