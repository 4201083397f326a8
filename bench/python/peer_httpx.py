"""Makes the measured calls without the library: with httpx and PyNaCl."""

import ssl

import httpx

import by_hand
import commands


def make_client():
    verify = ssl.create_default_context(cafile=commands.CA_FILE) if commands.CA_FILE else True
    return httpx.Client(timeout=30, verify=verify)


def post(client, url, body, headers):
    reply = client.post(url, content=body, headers=headers)
    return reply.content, reply.headers


by_hand.serve(make_client, post)
