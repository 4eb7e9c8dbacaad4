/** The decisions of the fetch in a Worker, by the `fetch` of Node. `worker.night.test.ts` has what the platform itself decides. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platformFetch, requirePlatform } from '../src/platform-fetch.ts'

const LIMIT = 10

/** What the host answers, by path. */
const ANSWERS: Readonly<Record<string, RequestListener>> = {
  '/full': (_, response) => response.end('0123456789'),
  '/empty': (_, response) => response.end(),
  '/missing': (_, response) => response.writeHead(404).end('0123456789ab'),
  '/moved': (_, response) => response.writeHead(302, { location: '/full' }).end(),
  '/announced': (_, response) => response.setHeader('content-length', LIMIT + 1).flushHeaders(),
  '/large': (_, response) => response.write('0123456789ab'),
  '/encoded': (_, response) => response.setHeader('content-encoding', 'br').flushHeaders(),
  '/latin1': (_, response) => response.end(Buffer.from('é', 'latin1')),
  '/broken': ({ socket }) => socket.destroy(),
  '/headers': ({ headers }, response) =>
    response.setHeader('x-seen', `${headers.accept} ${headers['cache-control']}`).end(),
  '/posted': async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    response.setHeader('x-received', `${request.method} ${body}`).end('0123456789ab')
  },
}

const host = createServer((request, response) => ANSWERS[request.url ?? '']?.(request, response))
let origin: string
beforeAll(async () => {
  await once(host.listen(0, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
afterAll(() => {
  host.closeAllConnections()
  host.close()
})

function fetched(path: string, posted?: string, signal = new AbortController().signal) {
  const headers = { accept: 'application/json' }
  return platformFetch({ url: new URL(path, origin), headers, maxBytes: LIMIT, posted, signal })
}

describe('the fetch of a Worker', () => {
  it.each([
    ['/full', 200, '0123456789'],
    ['/empty', 200, ''],
    ['/missing', 404, ''],
    ['/moved', 302, ''],
  ])('reads the body of a 200 alone, and follows nothing: %s', async (path, status, body) => {
    expect(await fetched(path)).toMatchObject({ status, body })
  })

  it('sends its headers, and goes round every cache', async () => {
    expect((await fetched('/headers')).headers['x-seen']).toBe('application/json no-cache')
  })

  it('posts a body, and reads none', async () => {
    const { headers, body } = await fetched('/posted', 'hello')
    expect([headers['x-received'], body]).toEqual(['POST hello', ''])
  })

  it.each([
    ['size', '/announced'],
    ['size', '/large'],
    ['encoding', '/encoded'],
    ['encoding', '/latin1'],
    ['connect', '/broken'],
  ])('fails with the code %s, and a reason for the operator, for the answer %s', async (code, path) => {
    const message = expect.stringMatching(/\w/)
    await expect(fetched(path)).rejects.toMatchObject({ name: 'FetchFailure', code, message })
  })

  it('ends with its signal', async () => {
    await expect(fetched('/full', undefined, AbortSignal.abort('late'))).rejects.toMatchObject({
      code: 'connect',
      cause: 'late',
    })
  })
})

describe('a Worker', () => {
  const [STRICT, CACHE] = ['global_fetch_strictly_public', 'cache_option_enabled']

  it.each<[string, object, string[]]>([
    ['with both flags', { [STRICT]: true, [CACHE]: true }, []],
    ['without one', { [STRICT]: true }, [CACHE]],
    ['with one switched off', { [STRICT]: false, [CACHE]: true }, [STRICT]],
    ['with none', {}, [STRICT, CACHE]],
  ])('%s names the flags that are missing', (_, compatibilityFlags, missing) => {
    const platform = globalThis as { Cloudflare?: object }
    platform.Cloudflare = { compatibilityFlags }
    try {
      if (missing.length === 0) requirePlatform()
      else expect(() => requirePlatform()).toThrow(`compatibility_flags: ${missing.join(', ')}`)
      for (const hosts of [{ ca: 'PEM' }, { hosts: {} }])
        expect(() => requirePlatform(hosts)).toThrow(missing.length === 0 ? /has no effect/ : /flags/)
    } finally {
      delete platform.Cloudflare
    }
  })

  it('of an old version, which names no flags, lacks both', () => {
    expect(() => requirePlatform()).toThrow(`${STRICT}, ${CACHE}`)
  })
})
