"""`python -m migrato_bots`: a bot's class anywhere."""

from migrato_bots.command import main

if __name__ == "__main__":
    main()
