"""Support of tests in several folders: processes and servers to test on, what is waited for, chance, texts."""
