"""Parts that a process needs to start and to run; `bootstrap` wires all other rooms of `events`."""
