"""Taking moves back: asking for it, agreeing, and seeing how it stands."""
