"""Ways to bring measures of a depot to one scale."""

SCALERS = {}


class Scaler:
    """Subclasses are found by their name."""

    def __init_subclass__(cls, name, **options):
        super().__init_subclass__(**options)
        SCALERS[name] = cls

    def __init__(self, centre, spread):
        self.centre, self.spread = centre, spread

    def __call__(self, measures):
        return (measures - self.centre) / self.spread


class Standard(Scaler, name="standard"):
    @classmethod
    def fit(cls, measures):
        return cls(measures.mean(0), measures.std(0))


class Robust(Scaler, name="robust"):
    @classmethod
    def fit(cls, measures):
        middle = measures.median(0).values
        return cls(middle, (measures - middle).abs().median(0).values)
