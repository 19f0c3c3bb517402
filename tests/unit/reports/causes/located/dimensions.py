"""Programs in which an argument has another rank, layout or order of keys, or a loop other rounds.

The marks are those of `programs`; what is beside the line to change is there to mislead.
"""

from __future__ import annotations

from typing import Any

from ca_reports.causes.findings import DictKeys

DIMENSIONS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a collate function that squeezes a batch of one": (
        "CA709",
        """
        # file: clicks.py
        import torch
        from torch.utils.data import DataLoader
        def to_batch(rows):
            return {name: torch.stack(column).squeeze() for name, column in rows}  # change
        def loader():
            return DataLoader(shards, batch_size=16, collate_fn=to_batch)
        # file: train.py
        import torch
        from clicks import loader
        from model import Towers
        model = torch.compile(Towers())
        for batch in loader():
            labels = batch["clicked"].unsqueeze(1).squeeze(1)
            loss = model(batch)  # main
        # file: model.py
        class Towers(Module):
            def forward(self, batch):  # compiled
                return self.table(batch["item"])
        """,
        {"reason": "0/0: tensor 'batch['item']' rank mismatch. expected 1, actual 0"},
    ),
    "one example of a batch in some calls": (
        "CA709",
        """
        # file: service.py
        import torch
        class Service:
            def __call__(self, request):
                tokens = torch.tensor(request)
                return self.answer(tokens)  # main
        # file: train.py
        from service import Service
        service = Service()
        for number in range(9):
            request = draw(4)
            if number % 4 == 2:
                request = request[0]  # change
            service(request)  # step
        # file: reader.py
        import torch
        @torch.compile
        def answer(tokens):  # compiled
            return embed(tokens)
        """,
        {"reason": "0/0: tensor 'tokens' rank mismatch. expected 2, actual 1"},
    ),
    "a column of the labels or the model's own guess": (
        "CA111",
        """
        # file: model.py
        import torch
        class Encoder(Module):
            def forward(self, source):
                return self.mix(self.embed(source).transpose(1, 2)).transpose(1, 2)
        class Decoder(Module):
            def forward(self, encoded, target):
                word = target[:, 0]
                for i in range(target.size(1)):
                    logits = self.step(word, encoded)
                    word = target[:, i] if forced else logits.argmax(1)  # change
                return logits
        # file: train.py
        from model import Encoder, Decoder
        encoder, decoder = Encoder(), Decoder()
        for source, target in batches:
            decoder(encoder(source), target).sum().backward()  # backward
        """,
        {"key": "layout"},
    ),
    "keys in another order, of a dictionary that one is always taken out of": (
        "CA711",
        """
        # file: train.py
        import torch
        from tables import batches
        def to_tensors(rows):
            return {name: torch.from_numpy(column) for name, column in rows.items()}  # change
        @torch.compile
        def predict(batch):  # compiled
            return sum(batch.values())
        def main():
            for rows in batches():
                batch = to_tensors(rows)
                target = batch.pop("rent")
                loss(predict(batch), target)  # main
        main()
        """,
        {
            "reason": "0/0: list(dict.keys(batch))[0] == 'area'",
            "key": "batch",
            "detail": DictKeys(()),
        },
    ),
    "a loop around a method that has the name of the optimizer's": (
        "CA203",
        """
        # file: model.py
        import torch
        class Decoder(Module):
            def step(self, word, hidden, encoded):
                return self.cell(torch.cat([word, encoded]), hidden)  # forward
            def forward(self, encoded, target):
                hidden = encoded.mean(1)
                for i in range(target.size(1)):  # change
                    hidden = self.step(target[:, i], hidden, encoded)
                return hidden
        # file: train.py
        from model import Decoder
        decoder = Decoder()
        for source, target in batches:
            loss = decoder(encoder(source), target).sum()
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()  # backward
            for optimizer in optimizers:
                optimizer.step()
        """,
        {},
    ),
}
