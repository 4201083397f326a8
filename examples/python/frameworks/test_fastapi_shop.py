"""The tests of the FastAPI shop: pytest test_fastapi_shop.py"""

import asyncio
import contextlib

import fastapi_shop
import pytest
from fastapi.testclient import TestClient
from merchantpay.testing import signed_webhook

PHONE = {"phone": "79001234567"}


# [test]
@pytest.fixture
def shop(merchantpay_sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_DATABASE", str(tmp_path / "shop.db"))
    monkeypatch.setenv("MERCHANTPAY_JOURNAL", str(tmp_path / "payments.db"))
    monkeypatch.setenv("SHOP_URL", "http://127.0.0.1:9")  # the tests deliver the webhooks
    asyncio.run(fastapi_shop.main("tables"))
    run("INSERT INTO orders VALUES ('order-1', '1500.50')")
    with TestClient(fastapi_shop.app) as shop:
        yield shop


def run(sql):
    with contextlib.closing(fastapi_shop.connect()) as database, database:
        return database.execute(sql).fetchall()


def deliver(shop, webhook):
    return shop.post(webhook.path, content=webhook.body, headers=webhook.headers).status_code


def ship(shop):
    shop.portal.call(fastapi_shop.ship_paid, fastapi_shop.app.state.journal)


def test_a_paid_order_is_shipped_once(shop, merchantpay_sandbox):
    first = shop.post("/orders/order-1/pay", params=PHONE).json()
    assert first["standing"] == "open" and first["sum"] == "1500.50"
    assert shop.post("/orders/order-1/pay", params=PHONE).json() == first
    [payment] = merchantpay_sandbox.payments()
    assert shop.post("/orders/order-1/paid").status_code == 204
    webhook = merchantpay_sandbox.webhook(payment["orderId"], "status")
    for _ in range(2):
        assert deliver(shop, webhook) == 200
        ship(shop)
    assert run("SELECT number FROM shipments") == [("order-1",)]


# [/test]


@pytest.mark.merchantpay_sandbox(hold=True)
def test_underpaid_order_is_not_shipped(shop, merchantpay_sandbox):
    shop.post("/orders/order-1/pay", params=PHONE)
    [payment] = merchantpay_sandbox.payments()
    merchantpay_sandbox.pay(payment["orderId"], "less")
    merchantpay_sandbox.operate(payment["orderId"], "approve")
    assert deliver(shop, merchantpay_sandbox.webhook(payment["orderId"], "status")) == 200
    ship(shop)
    assert run("SELECT number FROM shipments") == []


def test_forged_webhook_and_wrong_input_are_refused(shop):
    assert deliver(shop, signed_webhook("order-1", "doneSuccess", path="/callback/forged")) == 400
    assert shop.post("/orders/order-1/pay", params={"phone": ""}).status_code == 400
    assert shop.post("/orders/order-2/pay", params=PHONE).status_code == 404
    assert shop.post("/orders/order-1/paid").status_code == 409
