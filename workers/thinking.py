"""The name by which former releases queued questions to bots; workers still carry these jobs out."""

from workers.bot_query_worker import think

__all__ = ["think"]
