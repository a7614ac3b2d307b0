"""An editor as a third party would ship it."""
