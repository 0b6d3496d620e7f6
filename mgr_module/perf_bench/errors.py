"""One family of errors: each carries its errno and one sentence that says what to do.

Raised anywhere, translated once: by ``cli`` into a return code and a line on stderr, by the
dashboard's back end into an HTTP status.
"""

import errno


class PerfBenchError(Exception):
    """Something a user asked for that cannot be done; ``str()`` of it is the sentence shown."""

    errno: int = errno.EIO

    @property
    def message(self) -> str:
        """The sentence."""
        given = self.args[0] if self.args else ""
        return given if isinstance(given, str) else str(self)


class InvalidValue(PerfBenchError):
    """A value that is malformed or out of range (EINVAL). ``field`` names the argument."""

    errno = errno.EINVAL

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NotFound(PerfBenchError):
    """A name that does not exist (ENOENT)."""

    errno = errno.ENOENT


class Unreadable(PerfBenchError):
    """Something that is stored and cannot be read (EIO)."""


class Busy(PerfBenchError):
    """A round runs already, or the thing is in use (EBUSY)."""

    errno = errno.EBUSY


class Forbidden(PerfBenchError):
    """The user lacks a right (EPERM)."""

    errno = errno.EPERM


class NotNow(PerfBenchError):
    """Refused at this moment, may work later (EAGAIN). ``reasons`` lists every cause."""

    errno = errno.EAGAIN

    def __init__(self, message: str, reasons: "tuple[str, ...]" = ()) -> None:
        super().__init__(message)
        self.reasons = reasons


class NotConfirmed(NotNow):
    """No answer came in time; what was asked for may still be done (EAGAIN)."""


class StoreUnavailable(NotNow):
    """The database in the cluster cannot be reached within the time limit (EAGAIN)."""


class StoreTooNew(StoreUnavailable):
    """The database was written by a newer version, and is left alone (EAGAIN)."""


class StoreDamaged(StoreUnavailable):
    """The database is damaged, and is left alone: another one would be damaged too (EAGAIN)."""


class NotSupported(PerfBenchError):
    """This release or this daemon cannot do it (EOPNOTSUPP)."""

    errno = errno.EOPNOTSUPP


class VerdictNamed(PerfBenchError):
    """An answer has a verdict that ``--fail-on`` names (ERANGE); ``answer`` is its text."""

    errno = errno.ERANGE

    def __init__(self, message: str, answer: str) -> None:
        super().__init__(message)
        self.answer = answer


class CommandFailed(PerfBenchError):
    """A daemon answered a command with an error, or did not answer within its limit.

    ``code`` is the positive errno the daemon gave; ETIMEDOUT when no answer came.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.errno = code
