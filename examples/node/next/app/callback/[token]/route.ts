import { journal } from '../../../journal';

export async function POST(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  // Not request.json(): exactly the bytes were signed.
  const received = await (await journal()).receiveRequest(pathname, await request.arrayBuffer(), request.headers);
  return new Response(null, { status: received.httpStatus });
}
