"""Generate the stubs of ``docassay.v1`` beside their .proto files.

Run as ``python proto/generate.py [OUTPUT]``; a test generates into a scratch folder and compares.
"""

import sys
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).parent


def generate(output: Path) -> None:
    """Write the message, service and type stubs of every contract below ``output``.

    Raises:
        RuntimeError: the compiler refused a contract; its message is on standard error.
    """
    sources = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docassay/v1/*.proto"))
    well_known = resources.files("grpc_tools") / "_proto"
    code = protoc.main(
        [
            "protoc",
            f"--proto_path={ROOT}",
            f"--proto_path={well_known}",
            f"--python_out={output}",
            f"--grpc_python_out={output}",
            f"--mypy_out=quiet:{output}",
            f"--mypy_grpc_out=quiet:{output}",
            *sources,
        ]
    )
    if code != 0:
        raise RuntimeError(f"protoc ended with {code} for {', '.join(sources)}")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
