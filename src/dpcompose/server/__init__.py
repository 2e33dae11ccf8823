"""The service: the use cases of `app` over HTTP, and the page that shows them. Needs the extra `server`.

Read `application` (how it is put together), `settings` and `serving` (how it starts); then `question`, `questions` and
`asking` (the questions, over `computing`), `books` (the ledger), `access` (who may do what) and `pages`.
`surroundings`, `patience`, `people`, `observing`, `problems`, `rates`, `bodies` and `forms` handle what every request
shares.
"""
