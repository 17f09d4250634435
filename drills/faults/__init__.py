"""What is done to the engine: each fault breaks one thing, holds it broken for a while, and mends it."""
