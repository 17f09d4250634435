"""What a game supplies to the HTTP interface, and what the documents of all games have in common."""
