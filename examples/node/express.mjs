// A shop with Express: it makes payments, takes their webhooks, and ships what was paid.
import express from 'express';
import { Client, Journal } from 'merchantpay';

const { MERCHANTPAY_JOURNAL, SHOP_URL, PORT } = process.env;
// [journal]
const journal = await Journal.open(Client.fromEnv(), MERCHANTPAY_JOURNAL, { callbackUrl: `${SHOP_URL}/callback` });
// [/journal]

const app = express();

// [webhook]
// Before express.json(), which keeps only the parsed body: exactly the bytes were signed.
app.post('/callback/:token', express.raw({ type: () => true }), async (request, response) => {
  const { httpStatus, error } = await journal.receiveRequest(request.path, request.body, request.headers);
  if (error) console.error('webhook refused:', error.message); // for your log, not for the sender
  response.sendStatus(httpStatus);
});
// [/webhook]

app.use(express.json());

// [pay]
app.post('/pay', async (request, response) => {
  const { order, sum, account } = request.body;
  // It can be repeated: a second click gets the same payment. If the customer leaves, nothing needs to be undone.
  const entry = await journal.pay(order, { sum, paymentMethod: 'sbp', customerAccount: account });
  response.json({ standing: entry.standing, payTo: entry.credentials?.payeeAccount ?? null });
});

// The customer says that the money was sent. Before this no payment ends, and no webhook comes.
app.post('/paid', async (request, response) => {
  const entry = await journal.find(request.body.order);
  if (!entry) return response.sendStatus(404);
  const { standing } = await journal.confirm(entry);
  response.json({ standing });
});
// [/pay]

// [ship]
async function ship() {
  try {
    await journal.settle();
    for (const entry of await journal.news()) {
      // Exactly the asked sum was paid. After a crash the entry comes again, so shipping twice must have the effect of once.
      if (entry.succeeded) console.log('ship', entry.reference);
      await journal.acknowledge(entry);
    }
  } catch (error) {
    // A rejection that nobody handles ends the process. What was not acknowledged comes again.
    console.error(error);
  }
  setTimeout(ship, 1000);
}
// [/ship]

await ship();
app.listen(PORT, () => console.log('listening'));
