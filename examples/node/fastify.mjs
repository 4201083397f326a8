// The payments and the webhooks of a shop with Fastify.
import Fastify from 'fastify';
import { Client, Journal } from 'merchantpay';

const { MERCHANTPAY_JOURNAL, SHOP_URL, PORT } = process.env;
const journal = await Journal.open(Client.fromEnv(), MERCHANTPAY_JOURNAL, { callbackUrl: `${SHOP_URL}/callback` });

const app = Fastify();

// [webhook]
// In a scope of its own, where a body stays the bytes that were signed.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (request, body) => body);
  scope.post('/callback/:token', async (request, reply) => {
    const { httpStatus } = await journal.receiveRequest(request.url, request.body, request.headers);
    return reply.code(httpStatus).send();
  });
});
// [/webhook]

app.post('/pay', async (request) => {
  const { order, sum, account } = request.body;
  const entry = await journal.pay(order, { sum, paymentMethod: 'sbp', customerAccount: account });
  return { standing: entry.standing, payTo: entry.credentials?.payeeAccount ?? null };
});

await app.listen({ port: Number(PORT) });
console.log('listening');
