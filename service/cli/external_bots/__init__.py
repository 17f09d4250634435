"""External bots in self-play: classes of their authors, and servers, asked as an engine asks remote bots."""
