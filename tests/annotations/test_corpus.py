import hashlib

from orchestrator import corpus
from tests.annotations import readers


class TestCorpus:
    def test_the_sample_loads_without_a_fault(self) -> None:
        """The corpus check finds neither an error nor a warning."""
        assert corpus.check(readers.SAMPLE) == []

    def test_four_sources_in_four_formats(self) -> None:
        """Each source has a domain of its own and one document in each format."""
        found = {(document.domain, document.format) for document in readers.DOCUMENTS.values()}
        assert found == {
            (domain, format)
            for domain in ("finance", "governance", "legal", "operations")
            for format in ("docx", "html", "pdf", "pptx")
        }

    def test_digests_are_the_files(self) -> None:
        """Manifest digests and sizes are those of the files."""
        for document in readers.DOCUMENTS.values():
            data = document.path.read_bytes()
            assert (document.sha256, document.bytes) == (hashlib.sha256(data).hexdigest(), len(data))

    def test_pdfs_have_the_length_of_real_documents(self) -> None:
        """Each PDF has four to twelve pages."""
        assert all(4 <= (readers.DOCUMENTS[identity].pages or 0) <= 12 for identity in readers.of_format("pdf"))
