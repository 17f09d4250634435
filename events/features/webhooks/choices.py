"""Messages to apps' webhooks that a job, a question to a bot, is done."""

from events.features.webhooks.deliveries import Delivery
from events.features.webhooks.endpoints import MOST_WAITING
from events.features.webhooks.event_types import CHOICE_DONE, LoggedMessage, Message
from events.features.webhooks.port import DoneJob, DoneJobs, EndpointStore
from events.times import time_of


class Choices:
    """The use case of these messages, for the process that sends webhooks."""

    def __init__(self, jobs: DoneJobs, endpoints: EndpointStore) -> None:
        self._jobs = jobs
        self._endpoints = endpoints

    def step(self) -> bool:
        """Queue messages about jobs that are done for the webhooks that name their type. Returns True if there may be
        more jobs.

        If a process dies, the same message may be queued again, under the same id. Raises StoreUnavailable.
        """
        jobs = self._jobs.fresh()
        wanted = {
            app: [
                one for one in self._endpoints.of_app(app) if one.wants(CHOICE_DONE, "") and not one.disabled
            ]
            for app in {job.app for job in jobs}
        }
        for job in jobs:
            for endpoint in wanted[job.app]:
                self._endpoints.enqueue(endpoint, delivery_of(job), MOST_WAITING)
        self._jobs.told(jobs)
        return bool(jobs)


def delivery_of(job: DoneJob) -> Delivery:
    """The delivery of the message about the job. It tells the address of the answer, but nothing of the answer or the
    position.
    """
    data = {
        "job": job.job,
        "expires_at": time_of(job.expires_at),
        "links": {"self": f"/v1/bots/jobs/{job.job}"},
    }
    message = Message(CHOICE_DONE, time_of(job.at), "", 0, data)
    return Delivery(LoggedMessage(f"choice-{job.id}", message), job.at / 1000)
