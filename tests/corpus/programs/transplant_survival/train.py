"""Fits the survival model and prints its concordance."""

import torch
from cohort import cohort
from hazard import RiskNet, concordance, partial_likelihood
from saliency import Saliency


def main(epochs=3):
    torch.manual_seed(0)
    patients = cohort()
    model = RiskNet(covariates=6)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-4)
    saliency = Saliency(every=6)
    for epoch in range(epochs):
        for x, months, died in patients:
            with saliency.watching() as watch:
                loss = partial_likelihood(model(x, watch), months, died)
                optimizer.zero_grad()
                loss.backward()
            optimizer.step()
        with torch.no_grad():
            x, months, died = patients.dataset.tensors
            c = concordance(model(x), months, died)
        print(f"{epoch}: concordance {c:.2f}, saliency {saliency.latest:.3f}")


if __name__ == "__main__":
    main()
