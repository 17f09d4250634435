"""Resources that bring players together: the lobby, quick match."""
