"""For the tests of a shop: a sandbox, signed webhooks, and results without a service.

    def test_a_customer_pays(merchantpay_sandbox):
        with merchantpay.Client.from_env() as client:
            payment = client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
            client.confirm(payment.order_id)
            assert client.wait(payment.order_id, timeout=10).status == "doneSuccess"

A pytest plugin of this package provides the fixture `merchantpay_sandbox`. Production code does not need this
module; the package loads it only if it is imported.
"""

from __future__ import annotations

from ._results import available_amounts, entry, payment
from ._sandbox import Sandbox
from ._webhooks import SignedWebhook, signed_webhook

__all__ = ["Sandbox", "SignedWebhook", "available_amounts", "entry", "payment", "signed_webhook"]

for _name in __all__:
    globals()[_name].__module__ = __name__
del _name
