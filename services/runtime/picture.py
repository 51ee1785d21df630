"""Images of pages: the endings their files have. Tools tell kinds of images by them."""

_SIGNATURES = {
    b"\x89PNG\r\n\x1a\n": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"GIF8": ".gif",
    b"II*\x00": ".tif",
    b"MM\x00*": ".tif",
    b"BM": ".bmp",
}

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".tif", ".tiff", ".bmp", ".webp")


def suffix(head: bytes) -> str:
    """Return the ending for an image that begins with these bytes (16 are enough); ``.image`` for any other file."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return ".webp"
    return next((ending for signature, ending in _SIGNATURES.items() if head.startswith(signature)), ".image")
