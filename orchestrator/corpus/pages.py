"""A dataset of single pages with tests as a corpus: each page is a document, its tests are its gold."""

import hashlib
from pathlib import Path

from orchestrator.corpus.layout import Corpus, Document

_FORMATS = {".pdf": "pdf", ".png": "image"}


def load_pages(dataset: str, *, version: str, sample: int) -> tuple[Corpus, tuple[Document, ...]]:
    """Read a dataset in OmniParseBench's layout; return it as a corpus, and the pages asked for.

    Args:
        dataset: its folder, or hf://datasets/ORGANISATION/NAME[@REVISION].
        version: whose sample it is: rc1 (also when empty) or 1.0.0.
        sample: how many pages of the version's own sample; 0: all.

    Raises:
        DatasetError: there is none, a row of its manifest breaks the layout, or a page's file is not there.
        ValueError: there is no such version.
    """
    # Imported here: a run of another suite need not wait for it.
    from scorer.omniparse.dataset import DatasetError, DatasetPage, read_dataset
    from scorer.suites.omniparse.versions import version_of

    read = read_dataset(dataset)

    def document(page: DatasetPage) -> Document:
        try:
            source, gold = page.doc_path.read_bytes(), page.gt_path.read_bytes()
        except OSError as error:
            raise DatasetError(
                f"page {page.page_id}: {error.filename} cannot be read ({error.strerror}); put the file there, or drop "
                f"the page from {read.folder / read.manifest}"
            ) from None
        return Document(
            id=page.page_id,
            domain=page.suite,
            format=_FORMATS[page.doc_path.suffix],
            pages=1,
            path=page.doc_path,
            sha256=hashlib.sha256(source).hexdigest(),
            bytes=len(source),
            annotations=page.outputs,
            gold_digest=hashlib.sha256(gold).hexdigest(),
        )

    documents = {page.page_id: document(page) for page in read.pages}
    digests = [f"{one.id} {one.sha256} {one.gold_digest}" for one in documents.values()]
    digest = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    corpus = Corpus(Path(dataset).name, "", read.folder, digest, tuple(documents.values()), ())
    chosen = tuple(documents[page.page_id] for page in version_of(version).sample(read.pages, sample))
    return corpus, chosen
