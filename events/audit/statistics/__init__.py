"""Statistics that the report on players rests on: pure functions of numbers, each with the source of its formula.

`intervals`: how sure a rate is if the choices of one game are alike; `tails`: how probable a result is by chance;
`strengths`: how often each player wins against each other one; `discoveries`: what remains significant among many
comparisons.
"""
