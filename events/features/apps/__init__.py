"""Apps: their keys and what each key may do, made, rotated and revoked while the engine runs."""
