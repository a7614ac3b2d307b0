"""Whether a run was really generated: a sample of its answers, made again and compared.

Everything else of a submission is recomputed from its own texts, so texts that nobody generated
would pass. What `recite` plays is checked to the letter without a model (`hub.rows`); here
`abstain` and `reason` are generated again by the model that the run names.
"""
