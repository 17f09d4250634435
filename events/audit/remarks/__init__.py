"""What no check finds wrong and a reader should know: what only the operator vouches for."""
