"""What a job with a mistake and the analysis of its trace must be like."""

from typing import Dict, List, NamedTuple, Optional, Tuple, Union

FAILED = 1  # an uncaught exception of Python
KILLED = -9
ABORTED = -6


class Case(NamedTuple):
    name: str
    program: str
    kind: Union[str, Tuple[str, ...], None]  # None: nothing is found
    ranks: List[int] = []
    victims: Optional[List[int]] = None
    returned_early: Optional[bool] = None
    argument: str = ""
    lines: Dict[int, Tuple[str, str]] = {}  # rank -> (mark of the line, function)
    text: Tuple[str, ...] = ()
    statuses: Optional[Dict[int, Union[int, Tuple[int, ...]]]] = None  # of the job's ranks; absent: not asserted
    arguments: Tuple[str, ...] = ()
    analysis_status: int = 1
    processes: int = 4
    world_size: int = 4
    live: bool = False
    steps: int = 300
    torch: str = ""  # major version of torch; "": any

    def kinds(self):
        return (self.kind,) if isinstance(self.kind, str) else self.kind
