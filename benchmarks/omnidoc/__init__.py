"""What the omnidoc and odl measures cost."""
