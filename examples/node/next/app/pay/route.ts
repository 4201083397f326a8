import { journal } from '../../journal';

export async function POST(request: Request): Promise<Response> {
  const { order, sum, account } = (await request.json()) as Record<'order' | 'sum' | 'account', string>;
  const entry = await (await journal()).pay(order, { sum, paymentMethod: 'sbp', customerAccount: account });
  return Response.json({ standing: entry.standing, payTo: entry.credentials?.payeeAccount ?? null });
}
