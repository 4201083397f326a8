"""The same by hand: requests and PyNaCl."""

import requests

import by_hand
import commands

session = requests.Session()


def status():
    body, headers = by_hand.status_request()
    reply = session.post(by_hand.STATUS_URL, data=body, headers=headers, timeout=30, allow_redirects=False)
    by_hand.read(by_hand.open_signed(reply.content, reply.headers["X-Signature"], commands.ORDER_ID))


commands.serve(webhook=by_hand.webhook, status=status)
