"""What is installed and there for ScopeBench to run, and one suggestion for each problem."""

from scopebench.doctor.checkup import Checkup, examine
from scopebench.doctor.finding import Finding

__all__ = ["Checkup", "Finding", "examine"]
