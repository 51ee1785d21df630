"""What of a sample is rendered."""

__all__ = ["formula_inputs"]


def formula_inputs(gold: str, predicted: str) -> tuple[str, str]:
    """Strip both sides of dollars, and the prediction of a LaTeX fence."""
    return _undollar(gold), _undollar(predicted.split("```latex")[-1].split("```")[0])


def _undollar(latex: str) -> str:
    return latex.strip("$").strip().strip("$").strip()
