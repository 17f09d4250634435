"""What exports say of each other, once each of them is checked by itself."""
