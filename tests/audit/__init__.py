"""The audit: exports, their verification, what is found when they are changed, and a fuzzer."""
