"""`migrato backup` and `migrato restore`: the whole store as one file, and back."""
