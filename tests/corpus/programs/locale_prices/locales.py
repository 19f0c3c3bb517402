"""Countries and what is spoken there."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Locale:
    country: str
    language: str

    @classmethod
    def parsed(cls, tag):
        language, country = tag.split("-")
        return cls(country, language)


KNOWN = tuple(map(Locale.parsed, ("de-AT", "de-CH", "fr-CH", "it-IT", "fr-FR", "nl-BE")))
