"""Work behind the requests: the dispatcher turns recorded events into jobs, bot workers carry them out."""
