"""A shop: customers place orders, each order becomes an invoice, and each invoice is mailed.

``ordering`` produces, ``invoicing`` consumes and produces exactly once, and ``mailing`` consumes with retries and dead
letters.
"""
