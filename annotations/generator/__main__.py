"""``python -m annotations.generator OUTPUT``: write the sample corpus into a new or empty folder."""

import sys
from pathlib import Path

from annotations.generator import corpus


def main(arguments: list[str]) -> int:
    """Write the corpus; 2 when the call is wrong or the folder holds something else."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m annotations.generator OUTPUT\n")
        return 2
    try:
        corpus.write(Path(arguments[0]))
    except FileExistsError as fault:
        sys.stderr.write(f"{fault}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
