"""Parts that a game supplies to the HTTP interface, and the common parts of all games' documents."""
