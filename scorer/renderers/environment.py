"""What drawing formulas needs from the machine, checked before the first one."""

import shutil
import subprocess
from dataclasses import dataclass

__all__ = ["CJK_FONTS", "Environment", "RendererError", "check_environment"]

CJK_FONTS = ("Noto Sans CJK SC", "Source Han Sans SC")

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
    """Look for XeLaTeX, packages, Ghostscript and a Chinese font; raises `RendererError` naming all that is missing."""
    missing: list[str] = []
    xelatex = shutil.which("xelatex")
    if xelatex is None:
        missing.append("xelatex (package texlive-xetex)")
    elif kpsewhich := shutil.which("kpsewhich"):
        missing += [
            f"{file} (package {package})" for file, package in _PACKAGES.items() if not _says([kpsewhich, file])
        ]
    ghostscript = shutil.which("gs")
    if ghostscript is None:
        missing.append("gs (package ghostscript)")
    matcher = shutil.which("fc-match")
    fonts = [] if matcher is None else [name for name in CJK_FONTS if name in _says([matcher, "-f", "%{family}", name])]
    if matcher is None:
        missing.append("fc-match (package fontconfig)")
    elif not fonts:
        missing.append(f"the font {CJK_FONTS[0]} (package fonts-noto-cjk)")
    if xelatex is None or ghostscript is None or missing:
        packages = " ".join(sorted({item.split("package ")[1].rstrip(")") for item in missing}))
        raise RendererError(
            f"formulas cannot be drawn: missing {', '.join(missing)}; on Debian: apt-get install "
            f"--no-install-recommends {packages}"
        )
    version = f"{_says([xelatex, '--version']).splitlines()[0]}, Ghostscript {_says([ghostscript, '--version'])}"
    return Environment(xelatex, ghostscript, version, fonts[0])


def _says(command: list[str]) -> str:
    """Return what a program prints, '' if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
