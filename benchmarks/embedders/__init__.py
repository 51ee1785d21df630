"""What embedding costs: chunks per second computed and from disk, time to load, memory."""
