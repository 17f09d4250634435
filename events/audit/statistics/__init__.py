"""Statistics that the report on players rests on: pure functions of numbers, each with the source of its formula.

`intervals` says how sure a rate is where the choices of one game are alike; `tails` how probable a result is by chance;
`strengths` what the results of games say about who wins; `discoveries` what is left of many comparisons at once.
"""
