import torch
from prompt_encoder import PromptEncoder
from predictor import VideoPredictor


def clicks(n, seed):
    g = torch.Generator().manual_seed(seed)
    return torch.rand(1, n, 2, generator=g) * 128, torch.randint(0, 2, (1, n), generator=g)


def main():
    torch.manual_seed(0)
    predictor = VideoPredictor(PromptEncoder(embed_dim=32, image_size=(128, 128)), vos_optimized=True)
    total = 0.0
    # an annotator refines object after object; each one needs another number of clicks
    for obj_id, n in enumerate([1, 3, 2, 6, 4, 9, 7, 5, 12, 10, 8, 14]):
        coords, labels = clicks(n, obj_id)
        mask_score = predictor.add_new_points(obj_id, coords, labels)
        print(f"object {obj_id}: {n} clicks, score {mask_score:.4f}")
        total += mask_score
    print("FINAL", round(total, 4))


if __name__ == "__main__":
    main()
