"""Resources that bring players together: invites, the lobby, quick match."""
