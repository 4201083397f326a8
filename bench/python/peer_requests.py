"""The same by hand: requests and PyNaCl."""

import requests

import by_hand
import commands

# A session's own setting gives way to REQUESTS_CA_BUNDLE.
VERIFY = commands.CA_FILE or True


def post(session, url, body, headers):
    reply = session.post(url, data=body, headers=headers, timeout=30, allow_redirects=False, verify=VERIFY)
    return reply.content, reply.headers


by_hand.serve(requests.Session, post)
