"""What counts as a letter where texts are compared."""


def is_letter(character: str) -> bool:
    """Tell whether a character forms words and is no decimal digit; a numeral such as "²" or "Ⅳ" counts."""
    return character.isalnum() and not character.isdecimal()
