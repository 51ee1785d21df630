"""What drawing formulas needs from the machine, checked before the first one."""

import shutil
import subprocess
from dataclasses import dataclass

__all__ = ["CJK_FONTS", "Environment", "RendererError", "check_environment"]

CJK_FONTS = ("Noto Sans CJK SC", "Source Han Sans SC")
_FONT_PACKAGE = "fonts-noto-cjk"

_PACKAGES = {
    "xeCJK.sty": "texlive-lang-chinese",
    "upgreek.sty": "texlive-latex-extra",
    "xcolor.sty": "texlive-latex-recommended",
    "amsmath.sty": "texlive-latex-base",
    "lmroman12-regular.otf": "lmodern",
}


class RendererError(RuntimeError):
    """Formulas cannot be drawn on this machine: the message names what is missing and what to install."""


@dataclass(frozen=True, slots=True)
class Environment:
    """The programs and the font that draw: part of what a rendering depends on."""

    xelatex: str
    ghostscript: str
    version: str
    cjk_font: str


def check_environment() -> Environment:
    """Look for XeLaTeX, packages, Ghostscript and a Chinese font.

    Raises:
        RendererError: something is missing. It is named, and the one command that installs it all; what cannot be
            looked for while the program that finds it is missing is in that command, too.
    """
    missing: dict[str, str] = {}
    unseen: set[str] = set()
    xelatex, kpsewhich, ghostscript = shutil.which("xelatex"), shutil.which("kpsewhich"), shutil.which("gs")
    if xelatex is None:
        missing["xelatex"] = "texlive-xetex"
    if kpsewhich is None:
        missing["kpsewhich"] = "texlive-binaries"
        unseen |= {*_PACKAGES.values()}
    else:
        missing |= {file: package for file, package in _PACKAGES.items() if not _says([kpsewhich, file])}
    if ghostscript is None:
        missing["gs"] = "ghostscript"
    matcher = shutil.which("fc-match")
    fonts = [] if matcher is None else [name for name in CJK_FONTS if name in _says([matcher, "-f", "%{family}", name])]
    if matcher is None:
        missing["fc-match"] = "fontconfig"
        unseen.add(_FONT_PACKAGE)
    elif not fonts:
        missing[f"the font {CJK_FONTS[0]}"] = _FONT_PACKAGE
    if xelatex is None or ghostscript is None or missing:
        named = ", ".join(f"{thing} (package {package})" for thing, package in missing.items())
        raise RendererError(
            f"formulas cannot be drawn: missing {named}; on Debian: apt-get install --no-install-recommends "
            f"{' '.join(sorted({*missing.values(), *unseen}))}"
        )
    version = f"{_says([xelatex, '--version']).splitlines()[0]}, Ghostscript {_says([ghostscript, '--version'])}"
    return Environment(xelatex, ghostscript, version, fonts[0])


def _says(command: list[str]) -> str:
    """Return what a program prints, '' if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
