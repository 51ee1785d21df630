"""Programs that draw: formulas as images, for measures that compare what a reader would see."""

from scorer.renderers.latex import FormulaRenderer, RendererError

__all__ = ["FormulaRenderer", "RendererError"]
