"""Reading the stored output of a parse that succeeded."""

from scorer import output
from scorer.store.artifacts import Artifacts
from scorer.suites.bizdoc import DocumentOutput


def read(artifacts: Artifacts, artifact: str | None) -> output.Output:
    """Return what a parser made of a document.

    Raises:
        StoreError: the stored artifact cannot be read.
    """
    if artifact is None:
        # A third party's service may report success and send nothing.
        return output.Output(DocumentOutput(text=""), False, ("the status is ok, but no output was sent",))
    with artifacts.open(artifact) as source:
        return output.read_output(source)
