"""Apps: their keys, and what each key may do. Keys are issued, rotated and revoked while the engine runs."""
