"""What nid and the quality axes cost."""
