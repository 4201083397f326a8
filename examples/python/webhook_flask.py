"""Receives webhooks with Flask: gunicorn --preload --workers 2 webhook_flask:app

The client and the verifier are made once, before the workers are forked. The settings are those of accept.py.
"""

import flask
import merchantpay

client = merchantpay.Client.from_env()
verifier = client.webhook_verifier()
app = flask.Flask(__name__)


@app.post("/hook")
def hook() -> tuple[str, int]:
    try:
        event = verifier.verify_request(flask.request.get_data(), flask.request.headers)
    except merchantpay.Error as error:
        headers = flask.request.headers
        why = verifier.explain(flask.request.get_data(), headers.get("X-Signature"), headers.get("X-KeyId"))
        app.logger.warning("webhook refused: %s", why or error)  # for your log, not for the sender
        return "", 400
    # An old webhook can come again, so the handler asks the service for the present status.
    status = client.get_status(event.order_id).status
    # Prints the line with one write, because the workers share the stream.
    print(f"{event.kind} {event.order_id} {status}\n", end="", flush=True)
    return "", 204
