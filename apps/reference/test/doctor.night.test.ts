import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { freePort } from '@grantkit/test-servers/free-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from './program.ts'
import { type RunningService, runService } from './service.ts'

/** The doctor against a healthy service, and against one behind a faulty proxy. */

const DOCTOR = '../../../packages/doctor/src/bin.ts'

let service: RunningService
beforeAll(async () => {
  service = await runService({ PAR: 'on', DPOP: 'on' })
})
afterAll(() => service.close())

interface Finding {
  readonly id: string
  readonly verdict: string
  readonly fix?: string
}

async function findingsAt(baseUrl: string, ...more: string[]) {
  const doctor = run(DOCTOR, [baseUrl, '--json', ...more])
  const status = await doctor.ended
  return { status, findings: JSON.parse(doctor.output()) as Finding[] }
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A service behind a proxy that changes its answers. */
async function openSpoilt(spoil: (path: string, answer: Answer) => Partial<Answer>) {
  const proxyPort = await freePort()
  const baseUrl = `http://127.0.0.1:${proxyPort}`
  const { port, close } = await runService({ BASE_URL: baseUrl })
  const proxy = createServer(async (incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    const forwarded = request({ port, host: '127.0.0.1', method, path: url, headers }, async (response) => {
      const { 'content-length': _, ...kept } = response.headers
      const answer = { status: response.statusCode ?? 0, headers: kept, body: await text(response) }
      const spoilt = { ...answer, ...spoil(url, answer) }
      outgoing.writeHead(spoilt.status, spoilt.headers).end(spoilt.body)
    })
    forwarded.end(await text(incoming))
  })
  await new Promise<void>((listening) => proxy.listen(proxyPort, '127.0.0.1', listening))
  return {
    baseUrl,
    async close() {
      proxy.close().closeAllConnections()
      await close()
    },
  }
}

describe('the doctor', () => {
  it('finds nothing wrong with a healthy service', async () => {
    const { status, findings } = await findingsAt(service.baseUrl)
    expect(findings.filter(({ verdict }) => verdict !== 'passed').map(({ id }) => id)).toEqual(['id-token'])
    expect(status).toBe(0)
  })

  it('finds nothing wrong with one below a path, either', async () => {
    const port = String(await freePort())
    const below = await runService({ PORT: port, BASE_URL: `http://127.0.0.1:${port}/courses/auth` })
    const { status, findings } = await findingsAt(below.baseUrl)
    await below.close()
    expect(findings.filter(({ verdict }) => verdict === 'failed')).toEqual([])
    expect(status).toBe(0)
  })

  it('examines less if it must not register, and says so', async () => {
    const { status, findings } = await findingsAt(service.baseUrl, '--no-register')
    expect(status).toBe(0)
    const skipped = findings.filter(({ verdict }) => verdict === 'skipped').map(({ id }) => id)
    expect(skipped).toEqual(expect.arrayContaining(['loopback-port', 'iss', 'form-action']))
  })

  it('finds exactly the faults of a proxy, and says how to fix each', async () => {
    const spoilt = await openSpoilt((path, { headers }) => {
      if (path.includes('/token')) return { headers: { ...headers, 'cache-control': 'public' } }
      if (path.includes('/login'))
        return { headers: { ...headers, 'content-security-policy': "form-action 'self'" } }
      if (path.includes('/userinfo'))
        return { headers: { 'content-type': 'text/html' }, body: '<h1>401</h1>' }
      return path.includes('/jwks') ? { status: 502 } : {}
    })
    const { status, findings } = await findingsAt(spoilt.baseUrl)
    await spoilt.close()
    const failed = findings.filter(({ verdict }) => verdict === 'failed')
    expect(status).toBe(1)
    const expected = ['keys', 'endpoint-cors', 'no-store', 'bad-token', 'challenge', 'form-action', 'framing']
    expect(failed.map(({ id }) => id)).toEqual(expected)
    for (const { fix } of failed) expect(fix).toMatch(/\w/)
  })

  it('prints a table for people', async () => {
    const doctor = run(DOCTOR, [service.baseUrl])
    expect(await doctor.ended).toBe(0)
    expect(doctor.output()).toContain('✓ PKCE is S256 and nothing else')
    expect(doctor.output()).toMatch(/\d+ passed, 0 failed, 1 skipped/)
  })
})
