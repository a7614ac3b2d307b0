"""Tables read as arrays: a run folder, a long table of outcomes, a wide one."""
