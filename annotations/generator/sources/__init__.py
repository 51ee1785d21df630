"""The four sources, one module each."""

from annotations.generator.model import Source
from annotations.generator.sources import contract, deck, manual, report

SOURCES: tuple[Source, ...] = (contract.SOURCE, deck.SOURCE, manual.SOURCE, report.SOURCE)
