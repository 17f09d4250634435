"""How players come together: invites, the lobby, quick match."""
