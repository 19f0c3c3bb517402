PAD, BOS, EOS = 0, 1, 2
LINE = (
    "salt flour butter egg milk sugar stir whisk fold bake boil simmer chop peel slice pour rest "
    "oven pan bowl spoon cup gram minute hour until golden soft thick cold warm"
)
WORDS = LINE.split()
SOURCE = {word: index for index, word in enumerate(WORDS, start=3)}
# the "foreign" kitchen says everything backwards
TARGET = {word[::-1]: index for index, word in enumerate(WORDS, start=3)}
SIZE = len(WORDS) + 3


def encode(words, table):
    return [BOS, *(table[word] for word in words), EOS]
