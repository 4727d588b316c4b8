"""What can go wrong before or while a run goes on."""


class SternaError(RuntimeError):
    """A run that could not start or did not end well; the text is what a user reads.

    `status` is the exit status that a command should end with.
    """

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
