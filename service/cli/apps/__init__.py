"""`migrato apps`: apps and their keys, on the store itself."""
