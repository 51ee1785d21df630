"""One parser's tasks, handed out to its replicas: each takes one at a time, and a lost replica's goes to another."""

import threading
from collections import deque
from collections.abc import Sequence

from orchestrator.plan import Task


class Share:
    """What is left to do of one parser, for as many threads as it has replicas.

    Args:
        tasks: what there is to do, in order.
        replicas: how many take from it.
    """

    def __init__(self, tasks: Sequence[Task], *, replicas: int) -> None:
        self._left = deque(tasks)
        self._replicas = replicas
        self._changed = threading.Condition()
        self._working = 0
        self._given_back: set[Task] = set()
        self._closed = False

    def take(self) -> Task | None:
        """Return the next task; None when all are done. Waits while another replica's task may come back."""
        with self._changed:
            while not self._left and self._working and not self._closed:
                self._changed.wait()
            if not self._left or self._closed:
                return None
            self._working += 1
            return self._left.popleft()

    def done(self) -> None:
        """A task that was taken has its row."""
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def give_back(self, task: Task) -> bool:
        """Let another replica try a task whose replica was lost; False: it shall have its row as a crash.

        Once is enough: a document that two replicas were lost over is the likelier cause, and would end them all.
        """
        with self._changed:
            if self._replicas < 2 or task in self._given_back:
                return False
            self._given_back.add(task)
            self._left.appendleft(task)
            self._working -= 1
            self._changed.notify_all()
            return True

    def leave(self) -> int:
        """A replica is lost for good; return how many are left."""
        with self._changed:
            self._replicas -= 1
            return self._replicas

    def close(self) -> None:
        """Nothing more is handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to take, now or later."""
        with self._changed:
            return self._closed or not (self._left or self._working)

    def abandoned(self) -> list[Task]:
        """Return the tasks that were given back and that no replica was left to take."""
        with self._changed:
            return [task for task in self._left if task in self._given_back]
