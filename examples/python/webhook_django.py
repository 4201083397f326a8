"""A whole Django program in one file, which receives webhooks: gunicorn --preload --workers 2 webhook_django:application

The client and the verifier are made once, before the workers are forked. The settings are those of accept.py.
"""

import logging
import os

import merchantpay
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY=os.urandom(32).hex())

client = merchantpay.Client.from_env()
verifier = client.webhook_verifier()


@csrf_exempt
@require_POST
def hook(request: HttpRequest) -> HttpResponse:
    try:
        event = verifier.verify_request(request.body, request.META)
    except merchantpay.Error as error:
        why = verifier.explain(request.body, request.headers.get("X-Signature"), request.headers.get("X-KeyId"))
        logging.getLogger(__name__).warning("webhook refused: %s", why or error)  # for your log, not for the sender
        return HttpResponse(status=400)
    # An old webhook can come again, so the handler asks the service for the present status.
    status = client.get_status(event.order_id).status
    # Prints the line with one write, because the workers share the stream.
    print(f"{event.kind} {event.order_id} {status}\n", end="", flush=True)
    return HttpResponse(status=204)


urlpatterns = [path("hook", hook)]
application = get_wsgi_application()
