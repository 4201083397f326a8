// The payments and the webhooks of a shop with NestJS.
import 'reflect-metadata';
import { Body, Controller, Inject, Module, Post, RawBodyRequest, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Client, Journal } from 'merchantpay';

const { MERCHANTPAY_JOURNAL, SHOP_URL, PORT } = process.env as Record<string, string>;

@Controller()
class Payments {
  constructor(@Inject(Journal) private readonly journal: Journal) {}

  // [webhook]
  @Post('callback/:token')
  async callback(@Req() request: RawBodyRequest<Request>, @Res() response: Response): Promise<void> {
    // request.body is parsed: exactly the bytes were signed.
    const { httpStatus } = await this.journal.receiveRequest(request.path, request.rawBody!, request.headers);
    response.sendStatus(httpStatus);
  }
  // [/webhook]

  @Post('pay')
  async pay(@Body() { order, sum, account }: Record<'order' | 'sum' | 'account', string>) {
    const entry = await this.journal.pay(order, { sum, paymentMethod: 'sbp', customerAccount: account });
    return { standing: entry.standing, payTo: entry.credentials?.payeeAccount ?? null };
  }
}

// [module]
@Module({
  controllers: [Payments],
  providers: [
    {
      provide: Journal,
      useFactory: () => Journal.open(Client.fromEnv(), MERCHANTPAY_JOURNAL, { callbackUrl: `${SHOP_URL}/callback` }),
    },
  ],
})
class Shop {}

async function start(): Promise<void> {
  const app = await NestFactory.create(Shop, { rawBody: true, logger: ['error'] });
  await app.listen(PORT);
  console.log('listening');
}
// [/module]

void start();
