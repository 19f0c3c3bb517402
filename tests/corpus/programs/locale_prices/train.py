"""A pricing service: requests name their locale by a tag."""

import torch
from locales import KNOWN, Locale
from model import PriceModel

TAGS = ("de-AT", "fr-CH", "nl-BE", "it-IT", "fr-CH", "de-CH", "nl-BE", "fr-FR", "it-IT")


class PriceService:
    def __init__(self, model):
        self.price = torch.compile(model.eval(), backend="eager")
        self.served = {}

    @torch.inference_mode()
    def answer(self, articles, tag):
        locale = Locale.parsed(tag)
        self.served[locale] = self.served.get(locale, 0) + len(articles)
        return self.price(articles, locale).tolist()


def main():
    torch.manual_seed(0)
    service = PriceService(PriceModel(KNOWN))
    for tag in TAGS:
        prices = service.answer(torch.rand(6, 12), tag)
        print(f"{tag}: {min(prices):.2f} to {max(prices):.2f}")
    for locale, count in service.served.items():
        print(f"{count} articles in {locale.country}")


if __name__ == "__main__":
    main()
