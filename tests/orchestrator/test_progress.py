"""Progress without a terminal."""

from orchestrator.progress import Lines


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TestLines:
    def test_says_how_many_how_fast_and_how_long(self) -> None:
        """Ten of forty documents in twenty seconds leave a minute."""
        clock, lines = Clock(), list[str]()
        report = Lines(lines.append, clock)
        report.stage("markitdown@0.1.9", 40)
        for index in range(10):
            report.current(f"doc{index}")
            clock.now += 2
            report.advance()
        assert lines[-1] == "markitdown@0.1.9: 9 of 40, 0.5/s, 1:02 left (doc8)"
        clock.now += 2
        report.advance()
        assert len(lines) == 4

    def test_a_failure_is_never_swallowed(self) -> None:
        """Each failure has its own line, however quickly they come."""
        clock, lines = Clock(), list[str]()
        report = Lines(lines.append, clock)
        report.stage("p", 100)
        report.advance(failure="a: timeout: still parsing after 5 s")
        report.advance(failure="b: crash: SIGSEGV")
        assert lines[1:] == ["p: a: timeout: still parsing after 5 s", "p: b: crash: SIGSEGV"]

    def test_the_last_step_is_always_said(self) -> None:
        """The end of a stage shows however quick it was."""
        lines = list[str]()
        report = Lines(lines.append, Clock())
        report.stage("p", 1)
        report.current("x")
        report.advance()
        assert lines[-1].startswith("p: 1 of 1")
