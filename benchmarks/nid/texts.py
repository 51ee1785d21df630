"""Made texts and edited copies of them, the same for a seed on every machine."""

import random

_LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
_WORDS = 5000


def text(characters: int, *, seed: int) -> str:
    """Return running text of made-up words."""
    chance = random.Random(seed)
    words = ["".join(chance.choices(_LETTERS, k=chance.randint(2, 9))) for _ in range(_WORDS)]
    pieces: list[str] = []
    left = characters
    while left > 0:
        piece = chance.choice(words)
        pieces.append(piece)
        left -= len(piece) + 1
    return " ".join(pieces)[:characters]


def edited(original: str, share: float, *, seed: int) -> str:
    """Return a copy with this share of the characters changed: half replaced, a quarter dropped, a quarter doubled."""
    chance = random.Random(seed)
    pieces: list[str] = []
    for character in original:
        drawn = chance.random() / share if share else 1.0
        if drawn < 0.5:
            pieces.append(chance.choice(_LETTERS))
        elif drawn < 0.75:
            continue
        elif drawn < 1.0:
            pieces.append(character + chance.choice(_LETTERS))
        else:
            pieces.append(character)
    return "".join(pieces)
