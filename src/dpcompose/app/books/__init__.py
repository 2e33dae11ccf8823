"""The books for many: whoever asks sees and spends from the accounts within their reach, and nothing else.

What is asked and what is answered are documents, and the book stays open in between; `app.ledger` does the same for
texts and for whoever holds the whole book.

Read `reach` (who asks, and which accounts they may see), `terms` (what is declared) and `views` (what is shown) first,
then `looking` and `writing` (one task for each request); `clerk` keeps the book open and does the tasks.
"""
