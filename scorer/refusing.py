"""What a scorer in a container does that cannot serve its folder: it says why to whoever waits for its health.

The orchestrator can read no other container's log, and with ``--exit-code-from`` the end of any container makes compose
end all of them: a scorer that ended at once would take the orchestrator with it before that had said a word.
"""

import threading

from docassay.v1 import scorer_pb2
from services.runtime import last_words
from services.runtime.ending import Ending

NAME = scorer_pb2.DESCRIPTOR.services_by_name["Scorer"].full_name

_SECONDS = 60.0
"""By then nobody waits any more; and whoever mends the folder finds no scorer that still speaks of it as it was."""


def tell(words: str, listen: str, ending: Ending) -> None:
    """Answer every question for health with some words, until the end is asked for or a minute has passed."""
    server = last_words.refusing(
        words,
        listen,
        service=NAME,
        asked=scorer_pb2.ScorerShutdownRequest,
        answered=scorer_pb2.ScorerShutdownResponse,
        shut_down=ending.ask,
    )
    timer = threading.Timer(_SECONDS, ending.ask)
    timer.start()
    ending.wait()
    timer.cancel()
    server.stop(grace=1.0).wait()
