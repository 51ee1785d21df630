"""Parser services in containers: what compose tells the orchestrator of them, and how each is locked down."""
