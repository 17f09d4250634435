"""Work behind the requests: the dispatcher turns recorded events into jobs, and workers carry the jobs out."""
