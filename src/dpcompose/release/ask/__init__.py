"""What may be asked of a table, of whom it is hidden, and what it costs: everything here is known without any data."""
