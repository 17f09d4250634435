"""Games at work: brought into memory and kept there; commands carried out; rights of callers."""
