"""The service: the use cases of `app` over HTTP, and the page that shows them. Needs the extra `server`.

Read `application` (what is put together), `settings` and `serving` (how it starts); then `question`, `questions`
and `asking` (the questions, over `computing`), `books` (the ledger), `access` (who may do what) and `pages`.
`surroundings`, `patience`, `rates`, `bodies`, `forms`, `problems` and `observing` stand around every request.
"""
