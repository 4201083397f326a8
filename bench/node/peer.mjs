// By hand: fetch and node:crypto. fetch keeps its connection; the body is signed as it is sent, the reply is verified before it is
// parsed and must be about the same order. There is no package for Node to be compared with: it is listed beside the others.
//
// What the library does and this does not: exact money (JSON.parse has floats alone), the strict check of a signature, key ids,
// repeated names in JSON, types of fields, a bound of the reply's size, retries, outcomes.

import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const env = process.env;
const webhookBody = readFileSync(env.BENCH_WEBHOOK);
const url = `${env.BENCH_URL}/api/v1/merchant/pay/status`;

// Node reads keys as JWK: the halves of the contract's 64 bytes, and its 32 bytes.
const secret = Buffer.from(env.BENCH_PRIVATE_KEY, "base64");
const jwk = (x) => ({ kty: "OKP", crv: "Ed25519", x: x.toString("base64url") });
const privateKey = createPrivateKey({
    key: { ...jwk(secret.subarray(32)), d: secret.subarray(0, 32).toString("base64url") },
    format: "jwk",
});
const serverPublicKey = createPublicKey({ key: jwk(Buffer.from(env.BENCH_SERVER_PUBLIC_KEY, "base64")), format: "jwk" });

function open(body, signature) {
    if (!verify(null, body, serverPublicKey, Buffer.from(signature, "base64"))) throw new Error("the reply is not signed by the service");
    const payment = JSON.parse(body.toString("utf8"));
    if (payment.success !== true) throw new Error(payment.errorDescription);
    if (payment.orderId !== env.BENCH_ORDER_ID) throw new Error("the reply is about another order");
    return payment;
}

function read(payment) {
    if (payment.status !== "doneSuccess" || !(payment.sum > 0)) throw new Error("this is not what the server has sent");
}

const tasks = {
    webhook: () => read(open(webhookBody, env.BENCH_SIGNATURE)),
    status: async () => {
        const body = Buffer.from(JSON.stringify({ orderId: env.BENCH_ORDER_ID }));
        const reply = await fetch(url, {
            method: "POST",
            body,
            headers: {
                "Content-Type": "application/json",
                "X-KeyId": "merchant-1",
                "X-Signature": sign(null, body, privateKey).toString("base64"),
            },
            redirect: "manual",
            signal: AbortSignal.timeout(30_000),
        });
        read(open(Buffer.from(await reply.arrayBuffer()), reply.headers.get("X-Signature")));
    },
};

for await (const line of createInterface({ input: process.stdin })) {
    const [task, count] = line.split(" ");
    const work = tasks[task];
    if (task === "status") for (let left = Number(count); left > 0; left--) await work();
    else for (let left = Number(count); left > 0; left--) work();
    process.stdout.write("ok\n");
}
