"""The service: the use cases of `app` over HTTP, and the page that shows them. Needs the extra `server`."""
