"""The simplest parser there is, as an example of bringing one's own: a PDF's text layer, read by pypdfium2.

It gives `html` only, so its blocks are to be declared unsupported.
"""

from pathlib import Path

from scorer.omniparse.dataset import Dataset
from scorer.omniparse.files import write_json
from scorer.omniparse.parsed import paragraphs


def predict_text_layer(dataset: Dataset, folder: Path) -> int:
    """Write a prediction for every page of a dataset that is a PDF at hand; return how many.

    A PDF that cannot be opened gets a prediction without html, whose tests fail.
    """
    import pypdfium2

    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for page in dataset.pages:
        if page.doc_path.suffix != ".pdf" or not page.doc_path.is_file():
            continue
        try:
            document = pypdfium2.PdfDocument(page.doc_path)
            try:
                texts = [document[index].get_textpage().get_text_bounded() for index in range(len(document))]
            finally:
                document.close()
            outputs = {"html": "".join(map(paragraphs, texts))}
        except pypdfium2.PdfiumError:
            outputs = {}
        write_json(folder / f"{page.page_id}.json", outputs)
        written += 1
    return written
