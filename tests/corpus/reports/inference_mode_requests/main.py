import torch
from service import Service


def main():
    torch.manual_seed(0)
    service = Service(classes=7)
    service.warm_up()
    g = torch.Generator().manual_seed(1)
    total = 0.0
    for i in range(6):
        image = torch.rand(1, 3, 16, 16, generator=g)
        if i % 3 == 2:
            print("probe", service.probe(image))
        label, score = service.classify(image)
        total += score
        print(f"request {i} -> class {label} ({score:.4f})")
    print("FINAL", round(total, 5))


if __name__ == "__main__":
    main()
