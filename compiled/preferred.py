"""To be imported first of all by what starts a process: the compiled domain is then used where there is one."""

from compiled import prefer

prefer()
