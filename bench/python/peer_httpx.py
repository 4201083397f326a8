"""The same by hand: httpx and PyNaCl."""

import httpx

import by_hand
import commands

client = httpx.Client(timeout=30)


def status():
    body, headers = by_hand.status_request()
    reply = client.post(by_hand.STATUS_URL, content=body, headers=headers)
    by_hand.read(by_hand.open_signed(reply.content, reply.headers["X-Signature"], commands.ORDER_ID))


commands.serve(webhook=by_hand.webhook, status=status)
