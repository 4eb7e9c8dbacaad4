import { tokenOf } from './sign-in.ts'
import type { Visitor } from './visitor.ts'

const UNKNOWN = { authorization: `Bearer gka_${'x'.repeat(22)}.${'x'.repeat(43)}` }
const ITEM = '/api/courses/watercolour-basics'

/** The API of the school, without a token and with one that may read and write courses. */
export async function schoolStory(visitor: Visitor): Promise<void> {
  await askAnonymously(visitor)
  const bearer = { authorization: `Bearer ${await tokenOf(visitor)}` }
  await read(visitor, bearer)
  await write(visitor, bearer)
}

async function askAnonymously({ get, send, json }: Visitor): Promise<void> {
  for (const path of ['/api/courses?limit=2', ITEM, '/api/courses/nothing', '/api/students', '/api/orders'])
    await get(path)
  await get('/api/courses?limit=0')
  await get('/api/courses', UNKNOWN)
  await get('/api/courses', { authorization: 'Bearer' })
  await json('POST', '/api/courses', { title: 'New' })
  await json('PATCH', ITEM, { title: 'New' }, UNKNOWN)
  for (const method of ['HEAD', 'OPTIONS', 'PUT']) await send({ method, path: '/api/courses?limit=1' })
}

async function read({ get }: Visitor, bearer: Record<string, string>): Promise<void> {
  await get('/api/courses?limit=1&offset=1', bearer)
  await get(ITEM, bearer)
  await get('/api/courses/nothing', bearer)
  await get('/api/students', bearer)
  await get('/api/oauth/userinfo', bearer)
}

async function write({ json, send }: Visitor, bearer: Record<string, string>): Promise<void> {
  const { headers } = await json(
    'POST',
    '/api/courses',
    { id: 'mine', title: 'New', published: true },
    bearer,
  )
  const made = headers.get('location') ?? ''
  await json('PATCH', made, { lessons: 3 }, bearer)
  await json('PATCH', '/api/courses/nothing', { lessons: 3 }, bearer)
  await json('POST', '/api/courses', [], bearer)
  await send({
    method: 'POST',
    path: '/api/courses',
    body: 'x',
    headers: { ...bearer, 'content-type': 'text/plain' },
  })
  await json('POST', '/api/students', { name: 'New' }, bearer)
  await json('POST', '/api/orders', {}, bearer)
  await send({ method: 'DELETE', path: made, headers: bearer })
  await send({ method: 'DELETE', path: made, headers: bearer })
}
