"""What a seat can know: its knowledge of hidden cards, what may have happened, whole games as they may be."""
