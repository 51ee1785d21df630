"""The sample corpus: four documents, each written once and rendered as PDF, DOCX, PPTX and HTML with its gold."""
