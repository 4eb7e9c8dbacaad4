import { toFetchHandler } from '@grantkit/core/adapter'
import type { Mounted } from '@grantkit/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from './listen.ts'
import { echo } from './notes.ts'
import { send } from './runtimes/wire.ts'

/** The README documents this behaviour; if a new version behaves differently, change that page. */
describe('@hono/node-server', () => {
  let mounted: Mounted
  beforeAll(async () => {
    const untyped = {
      ...echo,
      path: '/untyped',
      handle: async () => ({ status: 200, headers: {}, body: 'a' }),
    }
    mounted = await listen(toFetchHandler({ routes: [echo, untyped] }))
  })
  afterAll(() => mounted.close())

  it('drops the body of GET', async () => {
    const answer = await send(mounted.url, '/echo', { headers: { 'content-length': '3' }, body: ['a=1'] })
    expect(JSON.parse(answer.body)).toMatchObject({ method: 'GET', body: '' })
  })

  it('refuses a backslash in the path, and takes one in the query', async () => {
    expect((await send(mounted.url, '/ec\\ho')).status).toBe(400)
    expect(JSON.parse((await send(mounted.url, '/echo?a=\\')).body).query).toBe('a=\\')
  })

  it('keeps a URL that needs no parsing, and parses the others', async () => {
    const queryOf = async (target: string) => JSON.parse((await send(mounted.url, target)).body).query
    expect(await queryOf("/echo?it's")).toBe("it's")
    expect(await queryOf("/echo?it's=%20")).toBe('it%27s=%20')
  })

  it('takes a body without a type for text', async () => {
    const { headers } = await send(mounted.url, '/untyped')
    expect(headers['content-type']).toMatch(/^text\/plain;/)
  })
})
