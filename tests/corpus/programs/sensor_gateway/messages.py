"""Messages of weather stations, as they come over the network."""

import json
import random

READINGS = ("temperature", "humidity", "pressure")


def station(name, seed, reports_wind):
    chance = random.Random(seed)
    names = [*READINGS, "wind"] if reports_wind else list(READINGS)
    while True:
        readings = {key: [chance.gauss(0, 1) for _ in range(6)] for key in names}
        yield json.dumps({"station": name, "readings": readings})


def network(count):
    stations = [station("hill", 0, True), station("city", 1, False), station("coast", 2, True)]
    for number in range(count):
        yield next(stations[number % len(stations)])
