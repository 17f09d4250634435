"""Games at work: brought into memory and kept there, commands carried out, who may see and do what."""
