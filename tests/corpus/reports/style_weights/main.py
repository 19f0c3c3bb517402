import torch
from styles import StyledUNet

REQUESTS = [({"ink": 1.0}, 1), ({"ink": 0.8}, 2), ({"ink": 0.55}, 3), ({"ink": 0.5, "film": 0.5}, 4),
            ({"film": 1.0}, 5), ({"ink": 0.3, "film": 0.9}, 6), ({"film": 0.65}, 7), ({"ink": 0.2, "film": 0.7}, 8)]


def main():
    torch.manual_seed(0)
    unet = StyledUNet(dim=8, layers=3, styles=("ink", "film")).eval()
    denoise = torch.compile(unet, backend="aot_eager")
    total = 0.0
    with torch.no_grad():
        for mix, seed in REQUESTS:
            unet.set_styles(mix)
            x = torch.randn(2, 8, generator=torch.Generator().manual_seed(seed))
            for t in range(3):
                x = x - 0.1 * denoise(x, torch.tensor(1.0 - t / 3))
            total += x.abs().sum().item()
            print(f"{mix} -> {x.mean().item():.4f}")
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
