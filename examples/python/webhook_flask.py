"""Receives webhooks with Flask: gunicorn --preload --workers 2 webhook_flask:app

The client and the verifier are made once, before the workers are forked. Settings as in accept.py.
"""

import os

import flask
import merchantpay

client = merchantpay.Client(
    os.environ["MERCHANTPAY_BASE_URL"],
    os.environ["MERCHANTPAY_KEY_ID"],
    os.environ["MERCHANTPAY_PRIVATE_KEY"],
    os.environ["MERCHANTPAY_SERVER_PUBLIC_KEY"],
    server_key_id=os.environ.get("MERCHANTPAY_SERVER_KEY_ID") or None,
)
verifier = client.webhook_verifier()
app = flask.Flask(__name__)


@app.post("/hook")
def hook() -> tuple[str, int]:
    try:
        event = verifier.verify_request(flask.request.get_data(), flask.request.headers)
    except merchantpay.Error as error:
        app.logger.warning("refused: %s", error)
        return "", 400
    # An old webhook can come again: what holds now is what the service says now.
    status = client.get_status(event.order_id).status
    # One write, as workers share the stream.
    print(f"{event.kind} {event.order_id} {status}\n", end="", flush=True)
    return "", 204
