"""``python -m scorer --listen unix:PATH --results DIR``.

The processes that score import this module again; the guard keeps them from importing the server.
"""

if __name__ == "__main__":
    from scorer.serving import main

    main()
