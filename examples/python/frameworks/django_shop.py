"""A whole shop with Django and SQLite in one file: gunicorn django_shop:application, and at the same time: python django_shop.py worker

SHOP_DATABASE names the shop's SQLite file, and MERCHANTPAY_JOURNAL the journal's, or a database; `python django_shop.py tables` creates
both. SHOP_URL is the URL at which the service reaches this shop. The client reads its settings from MERCHANTPAY_BASE_URL and so on.
"""

import functools
import os
import sys
import time

import django
import merchantpay
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, models
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

DATABASE = {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["SHOP_DATABASE"], "OPTIONS": {"timeout": 10}}
settings.configure(
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["127.0.0.1"],
    SECRET_KEY=os.urandom(32).hex(),
    DATABASES={"default": DATABASE},
    MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"],
)
django.setup()


class Order(models.Model):
    number = models.TextField(primary_key=True)
    sum = models.DecimalField(max_digits=12, decimal_places=2)
    shipped = models.BooleanField(default=False)

    class Meta:
        app_label = "shop"


# [service]
@functools.cache  # made on first use: each worker of gunicorn has its own
def journal() -> merchantpay.Journal:
    return open_journal()


def open_journal(create: bool = False) -> merchantpay.Journal:
    client, url = merchantpay.Client.from_env(), os.environ["SHOP_URL"] + "/callback"
    return merchantpay.Journal(client, os.environ["MERCHANTPAY_JOURNAL"], callback_url=url, create=create)


# [/service]


@require_POST
def pay(request: HttpRequest, number: str) -> HttpResponse:
    order = get_object_or_404(Order, number=number)
    phone = request.POST.get("phone", "")
    try:
        # The same order number returns the same payment.
        entry = journal().pay(number, sum=order.sum, payment_method="sbp", customer_account=phone)
    except merchantpay.InvalidArgumentError as error:
        return HttpResponse(str(error), status=400)
    shown = entry.credentials  # only if the customer can pay now
    return JsonResponse({"standing": entry.standing, "sum": order.sum, "deeplink": shown.deeplink if shown else None})


@require_POST
def paid(request: HttpRequest, number: str) -> HttpResponse:
    entry = journal().find(number)
    if entry is None or entry.credentials is None:
        return HttpResponse("nothing is to be paid", status=409)
    journal().confirm(entry)
    return HttpResponse(status=204)


# [webhook]
@require_POST
@csrf_exempt  # the service has no session: its signature takes the token's place
def callback(request: HttpRequest, token: str) -> HttpResponse:
    # Uses the raw body: a parsed and rewritten body does not verify.
    return HttpResponse(status=journal().receive_request(request.path, request.body, request.META).http_status)


# [/webhook]


# [ship]
def ship_paid() -> None:
    """Ships paid orders. After a crash an entry comes again, so shipping an order twice must have the effect of once."""
    journal().settle()
    for entry in journal().news():
        if entry.succeeded:  # exactly the requested sum was paid
            Order.objects.filter(number=entry.reference).update(shipped=True)
        journal().acknowledge(entry)


# [/ship]

urlpatterns = [path("orders/<number>/pay", pay), path("orders/<number>/paid", paid), path("callback/<token>", callback)]
application = get_wsgi_application()


def create_tables() -> None:
    open_journal(create=True).close()
    with connection.schema_editor() as editor:
        editor.create_model(Order)


if sys.argv[1:] == ["tables"]:
    create_tables()
while sys.argv[1:] == ["worker"]:
    ship_paid()
    time.sleep(1)
