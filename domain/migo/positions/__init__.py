"""Which positions of Migo are possible, wherever they are read from: views, stored forks, exports."""
