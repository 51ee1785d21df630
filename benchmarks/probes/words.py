"""Plain sentences around the one thing, so that a probe is a page and not a curiosity."""

BEFORE = (
    "The harbour office keeps a register of every vessel that enters between dawn and dusk. Clerks write the name of "
    "the master, the cargo and the berth in a bound book, and a second clerk copies each line before the evening bell."
)
AFTER = (
    "At the end of a quarter the two books are compared by a third person who has written in neither. Differences are "
    "listed on a sheet of their own, which the harbour master signs and hangs beside the door for a week."
)
PLAIN_TABLE = [["Region", "Season", "Sales"], ["North", "Spring", "11"], ["South", "Autumn", "22"]]
