"""Receives webhooks with FastAPI: uvicorn webhook_fastapi:app

Verifying takes microseconds, so the event loop itself verifies. A call to the service blocks, so a thread makes the call. The settings
are those of accept.py.
"""

import logging

import fastapi
import merchantpay
from fastapi.concurrency import run_in_threadpool

client = merchantpay.Client.from_env()
verifier = client.webhook_verifier()
app = fastapi.FastAPI()


@app.post("/hook")
async def hook(request: fastapi.Request) -> fastapi.Response:
    try:
        event = verifier.verify_request(await request.body(), request.scope["headers"])
    except merchantpay.Error as error:
        why = verifier.explain(await request.body(), request.headers.get("X-Signature"), request.headers.get("X-KeyId"))
        logging.getLogger(__name__).warning("webhook refused: %s", why or error)  # for your log, not for the sender
        return fastapi.Response(status_code=400)
    # An old webhook can come again, so the handler asks the service for the present status.
    payment = await run_in_threadpool(client.get_status, event.order_id)
    # Prints the line with one write, because the workers share the stream.
    print(f"{event.kind} {event.order_id} {payment.status}\n", end="", flush=True)
    return fastapi.Response(status_code=204)
