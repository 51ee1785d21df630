"""What a person sees of long work: a bar on a terminal, plain lines elsewhere."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

LINE_SECONDS = 5.0
"""Between two plain lines of one stage, at least; what failed always has its own."""


class Reporter(Protocol):
    """Where a run says how far it is."""

    def stage(self, name: str, total: int) -> None:
        """Begin a stage of so many steps."""

    def current(self, text: str) -> None:
        """Say what is being worked on."""

    def advance(self, *, failure: str = "") -> None:
        """One step is done; ``failure`` says what went wrong with it."""

    def note(self, text: str) -> None:
        """Say something that should stay on the screen."""


class Bar:
    """A live bar: steps done, current document, rate, time left."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("[dim]{task.fields[current]}"),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task("", total=None, current="", rate="")
        self._began = 0.0
        self._name = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def stage(self, name: str, total: int) -> None:
        """Begin a stage of so many steps."""
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(escape(name), total=total or None, current="", rate="")
        self._began, self._name = time.monotonic(), name

    def current(self, text: str) -> None:
        """Say what is being worked on."""
        self._progress.update(self._task, current=escape(text))

    def advance(self, *, failure: str = "") -> None:
        """One step is done."""
        self._progress.advance(self._task)
        done = self._progress.tasks[0].completed
        seconds = time.monotonic() - self._began
        self._progress.update(self._task, rate=f"{done / seconds:.1f}/s" if seconds > 0 else "")
        if failure:
            self._console.print(f"[yellow]{escape(self._name)}[/] {escape(failure)}", highlight=False)

    def note(self, text: str) -> None:
        """Print a line above the bar."""
        self._console.print(escape(text), highlight=False)


class Lines:
    """Plain lines, as many as a log can bear."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._name, self._total, self._done = "", 0, 0
        self._began = self._said = 0.0
        self._current = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return None

    def stage(self, name: str, total: int) -> None:
        """Begin a stage of so many steps."""
        self._name, self._total, self._done = name, total, 0
        self._began = self._said = self._clock()
        self._write(f"{name}: {total} to do" if total else name)

    def current(self, text: str) -> None:
        """Remember what is being worked on, for the next line."""
        self._current = text

    def advance(self, *, failure: str = "") -> None:
        """One step is done; say so if it failed, or the last line is old, or it was the last."""
        self._done += 1
        now = self._clock()
        if failure:
            self._write(f"{self._name}: {failure}")
        if now - self._said >= LINE_SECONDS or self._done == self._total:
            self._said = now
            seconds = max(now - self._began, 1e-9)
            left = (self._total - self._done) * seconds / self._done
            self._write(
                f"{self._name}: {self._done} of {self._total}, {self._done / seconds:.1f}/s, {_duration(left)} left"
                f" ({self._current})"
            )

    def note(self, text: str) -> None:
        """Write a line."""
        self._write(text)


def reporter(console: Console) -> Bar | Lines:
    """Return a bar on a terminal, plain lines elsewhere."""
    if console.is_terminal:
        return Bar(console)
    return Lines(lambda text: console.print(text, markup=False, highlight=False, soft_wrap=True))


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes else f"{rest} s"
