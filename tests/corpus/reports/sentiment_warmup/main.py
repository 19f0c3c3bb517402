from pipeline import SentimentPipeline

PROMPTS = [
    "this was a masterpiece not completely faithful to the books but enthralling from beginning to end",
    "i am not happy",
    "quarterly revenue fell short of what the analysts had expected",
    "shares rose after the announcement",
    "the board proposes no dividend this year because of the restructuring costs it booked",
]


def main():
    pipe = SentimentPipeline(hidden=16)
    total = 0.0
    for _ in range(2):
        for prompt in PROMPTS:
            score = pipe(prompt)
            print(f"{score:+.4f}  {prompt[:40]}")
            total += score
    print("FINAL", round(total, 5))


if __name__ == "__main__":
    main()
