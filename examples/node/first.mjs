import { Client } from 'merchantpay';

const client = Client.fromEnv();
let payment = await client.newPayment({ sum: '1500.50', paymentMethod: 'sbp', customerAccount: '79001234567' });
console.log('pay', payment.sum, 'to', payment.payeeAccount);
await client.confirm(payment.orderId); // the customer says that the money was sent
payment = await client.wait(payment.orderId, { timeoutMs: 60_000 }); // asks for the status until it is final
console.log(payment.status, payment.sum);
