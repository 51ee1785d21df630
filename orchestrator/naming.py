"""What may be a parser's name: of a folder here, of an image, of a service that says it."""

import re

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""It becomes part of variable names, of ``name@version:setting``, and of host names, which have 63 letters at most."""

NAME_FORM = "a small letter, then small letters, digits and underscores, 40 in all at most"
