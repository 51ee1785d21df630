"""Ask every parser that works on this machine about every probe: ``python -m benchmarks.probes [PARSER ...]``.

Writes the record and its tables in docs/parsers.md, and prints the rows that changed: those of a new version beside the
version before it. ``--check`` writes nothing and ends with 1 when the record would change. Parsers that lack a program
or weights here keep the rows they have.
"""

import argparse
import sys

from benchmarks.probes import asking, changes, record
from orchestrator import local
from services.runtime.descriptor import DescriptorError


def main() -> int:
    """Ask, compare with the record, write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parsers", nargs="*", help="name@version or name@version:setting; all without")
    parser.add_argument("--check", action="store_true", help="compare with the record that is there")
    options = parser.parse_args()
    before = record.read() if record.RECORD.is_file() else {}
    known = {selected.key: selected for selected in asking.known()}
    if unknown := sorted(set(options.parsers) - set(known)):
        sys.exit(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
    after = {}
    for key, selected in known.items():
        if key in before:
            after[key] = before[key]
        if not options.parsers or key in options.parsers:
            try:
                after[key] = asking.ask(selected)
            except (local.NotReady, DescriptorError) as error:
                print(f"{key}: not asked: {error}", file=sys.stderr)
    for line in changes.rows(before, after):
        print(line)
    if options.check:
        if before == after:
            print("as recorded: no row differs")
        return 1 if before != after else 0
    record.write(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
