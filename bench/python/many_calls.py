"""200 concurrent payments in one asyncio program: AsyncClient compared with httpx, with a service that answers after 500 ms.

    bench/python/many_calls.py ROUNDS

Run this file with a Python that has the package and requirements.txt. Each round starts one process of each program, one after another. A
process makes its calls twice: with new connections, and again with the open connections. For new and for open connections, and for each
program, many_calls.py prints the elapsed seconds and the CPU seconds of each round.
"""

import asyncio
import base64
import json
import os
import resource
import subprocess
import sys
import time

CALLS, DELAY = 200, 0.5


def serve():
    """Runs the service, a separate asyncio program. It signs one response, and answers each request with this response after the delay."""
    import nacl.signing

    key = nacl.signing.SigningKey(base64.b64decode(os.environ["BENCH_SERVER_PRIVATE_KEY"])[:32])
    body = json.dumps(
        {"success": True, "orderId": os.environ["BENCH_ORDER_ID"], "status": "doneSuccess", "sum": 1500.5, "deeplink": "d"}
    ).encode()
    signature = base64.b64encode(key.sign(body).signature).decode()
    reply = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-KeyId: service-1\r\nX-Signature: {signature}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body

    async def answer(reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.partition(b"content-length:")[2].split()[0]))
                await asyncio.sleep(DELAY)
                writer.write(reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main():
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    asyncio.run(main())


async def measured(new_payment):
    for connections in ("new", "open"):
        wall, used = time.perf_counter(), time.process_time()
        await asyncio.gather(*(new_payment() for _ in range(CALLS)))
        print(json.dumps([connections, time.perf_counter() - wall, time.process_time() - used]), flush=True)


async def ours():
    import merchantpay

    import commands

    settings = (commands.URL, commands.KEY_ID, commands.PRIVATE_KEY, commands.SERVER_PUBLIC_KEY)
    # The second set of calls begins immediately after the first, so the connections are not idle for long. The client uses no connection
    # that was idle for longer for a payment, but opens a new one.
    async with merchantpay.AsyncClient(*settings, max_calls=CALLS) as client:

        async def new_payment():
            payment = await client.new_payment(sum="1500.50", payment_method="sbp", customer_account="79001234567")
            assert payment.order_id == commands.ORDER_ID and payment.sum

        await measured(new_payment)


async def httpx_by_hand():
    import httpx

    import by_hand
    import commands

    limits = httpx.Limits(max_connections=CALLS, max_keepalive_connections=CALLS)
    async with httpx.AsyncClient(timeout=30, limits=limits) as client:

        async def new_payment():
            content = {"sum": 1500.50, "currency": "RUB", "paymentMethod": "sbp", "customerAccount": "79001234567"}
            body = json.dumps(content).encode()
            reply = await client.post(by_hand.URL + "new", content=body, headers=by_hand.sign(body))
            by_hand.read(by_hand.open_signed(reply.content, reply.headers["X-Signature"], commands.ORDER_ID))

        await measured(new_payment)


def compare(rounds):
    import merchantpay

    own, service = merchantpay.generate_keypair(), merchantpay.generate_keypair()
    hook = os.path.join(os.path.dirname(__file__), "..", "webhook.json")
    settings = {
        "BENCH_PRIVATE_KEY": own.private_key, "BENCH_SERVER_PUBLIC_KEY": service.public_key, "BENCH_SERVER_PRIVATE_KEY": service.private_key, "BENCH_ORDER_ID": "o-1",
        "BENCH_SIGNATURE": "", "BENCH_WEBHOOK": hook,
    }  # fmt: skip
    environment = {**os.environ, **settings}

    def start(task):
        return subprocess.Popen([sys.executable, __file__, "--run", task], env=environment, stdout=subprocess.PIPE, text=True)

    server = start("server")
    environment["BENCH_URL"] = f"http://127.0.0.1:{int(server.stdout.readline())}"
    figures = {}
    try:
        for number in range(rounds):
            for task in ("ours", "httpx")[:: 1 if number % 2 else -1]:
                with start(task) as process:
                    for line in process.stdout:
                        connections, wall, used = json.loads(line)
                        figures.setdefault((connections, task), []).append((wall, used))
                assert process.returncode == 0
    finally:
        server.kill()
        server.wait()
    for (connections, task), rounds in figures.items():
        print(json.dumps([connections, task, rounds]))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        tasks = {"server": serve, "ours": lambda: asyncio.run(ours()), "httpx": lambda: asyncio.run(httpx_by_hand())}
        tasks[sys.argv[2]]()
    else:
        compare(int(sys.argv[1]))
