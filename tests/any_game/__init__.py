"""Any game: the small one of the documentation, through everything that the engine offers."""
