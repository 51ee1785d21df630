"""CDM: how many of a formula's rendered tokens a prediction's tokens match (v1.5).

Source: OmniDocBench v1.5, CDM metric (Wang et al. 2024, "CDM: A Reliable Metric for Fair and Accurate Formula
Recognition Evaluation"). A formula is brought to a canonical form, each token gets a colour of its own, a renderer
outside of this package finds the box of every colour, and two sets of boxes are matched.
"""

from scorer.suites.omnidoc.cdm.boxes import CdmScore, Rendering, TokenBox, score_pair
from scorer.suites.omnidoc.cdm.colour import Coloured, colour, colour_of
from scorer.suites.omnidoc.cdm.inputs import formula_inputs

__all__ = [
    "CdmScore",
    "Coloured",
    "Rendering",
    "TokenBox",
    "colour",
    "colour_of",
    "formula_inputs",
    "score_pair",
]
