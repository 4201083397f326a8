"""The tests of the Django shop: pytest test_django_shop.py"""

import os
import pathlib

import pytest
from merchantpay.testing import signed_webhook

os.environ["SHOP_DATABASE"] = ""  # each test sets its own file
os.environ["SHOP_URL"] = "http://127.0.0.1:9"  # the tests deliver the webhooks
import django_shop  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402

PHONE = {"phone": "79001234567"}


# [test]
@pytest.fixture
def shop(merchantpay_sandbox, tmp_path: pathlib.Path):
    connection.settings_dict["NAME"] = str(tmp_path / "shop.db")
    os.environ["MERCHANTPAY_JOURNAL"] = str(tmp_path / "payments.db")
    django_shop.create_tables()
    django_shop.Order.objects.create(number="order-1", sum="1500.50")
    yield Client(headers={"host": "127.0.0.1"})
    django_shop.journal.cache_clear()
    connection.close()


def is_shipped():
    return django_shop.Order.objects.get(number="order-1").shipped


def deliver(webhook):
    service = Client(enforce_csrf_checks=True, headers={"host": "127.0.0.1"})
    return service.post(webhook.path, webhook.body, content_type="application/json", headers=webhook.headers).status_code


def test_a_paid_order_is_shipped_once(shop, merchantpay_sandbox):
    first = shop.post("/orders/order-1/pay", PHONE).json()
    assert first["standing"] == "open" and first["sum"] == "1500.50"
    assert shop.post("/orders/order-1/pay", PHONE).json() == first
    [payment] = merchantpay_sandbox.payments()
    assert shop.post("/orders/order-1/paid").status_code == 204
    webhook = merchantpay_sandbox.webhook(payment["orderId"], "status")
    for _ in range(2):
        assert deliver(webhook) == 200
        django_shop.ship_paid()
    assert is_shipped() and django_shop.journal().news() == []


# [/test]


@pytest.mark.merchantpay_sandbox(hold=True)
def test_underpaid_order_is_not_shipped(shop, merchantpay_sandbox):
    shop.post("/orders/order-1/pay", PHONE)
    [payment] = merchantpay_sandbox.payments()
    merchantpay_sandbox.pay(payment["orderId"], "less")
    merchantpay_sandbox.operate(payment["orderId"], "approve")
    assert deliver(merchantpay_sandbox.webhook(payment["orderId"], "status")) == 200
    django_shop.ship_paid()
    assert not is_shipped()


def test_forged_webhook_and_wrong_input_are_refused(shop):
    assert deliver(signed_webhook("order-1", "doneSuccess", path="/callback/forged")) == 400
    assert shop.post("/orders/order-1/pay", {"phone": ""}).status_code == 400
    assert shop.post("/orders/order-2/pay", PHONE).status_code == 404
    assert shop.post("/orders/order-1/paid").status_code == 409
