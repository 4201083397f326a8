"""Makes the measured calls without the library: with requests and PyNaCl."""

import requests

import by_hand
import commands

# Each call passes this value, because REQUESTS_CA_BUNDLE takes precedence over a session's own setting.
VERIFY = commands.CA_FILE or True


def post(session, url, body, headers):
    reply = session.post(url, data=body, headers=headers, timeout=30, allow_redirects=False, verify=VERIFY)
    return reply.content, reply.headers


by_hand.serve(requests.Session, post)
