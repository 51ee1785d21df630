"""Whether the programs a parser needs outside its environment are there."""

import re
import shutil
import subprocess

from services.runtime.descriptor import Descriptor, Requirement


def missing(descriptor: Descriptor) -> str:
    """Return what is absent and the remedy, empty when everything is there."""
    return "; ".join(filter(None, map(_missing, descriptor.requirements)))


def _missing(requirement: Requirement) -> str:
    program, *arguments = requirement.probe
    wanted = f"{requirement.name} {requirement.version} or newer is needed"
    if shutil.which(program) is None:
        return f"{wanted}, {program} was not found: {requirement.remedy}"
    try:
        told = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{wanted}, {program} does not run ({error}): {requirement.remedy}"
    found = re.search(r"\d+(?:\.\d+)*", told.stdout + told.stderr)
    if found is None or _parts(found[0]) < _parts(requirement.version):
        return f"{wanted}, found {found[0] if found else 'no version'}: {requirement.remedy}"
    return ""


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
