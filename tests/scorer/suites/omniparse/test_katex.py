"""KaTeX in its engine."""

import subprocess
import sys
from pathlib import Path


def test_a_process_that_rendered_comes_to_its_end() -> None:
    """V8 is let go of while its threads are alive; else one process in two waits for them for ever."""
    code = "from scorer.suites.omniparse.katex import katex; assert katex().mathml('x', display=False)"
    started = [subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[4]) for _ in range(6)]
    try:
        assert [process.wait(timeout=120) for process in started] == [0] * 6
    finally:
        for process in started:
            process.kill()
            process.wait()
