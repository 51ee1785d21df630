"""Measurements that are reported, never asserted in seconds."""
