import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { App, type Tokens, tokensOf } from './app.ts'
import { hashOf, Key, proofLine } from './dpop-key.ts'
import { FORGERIES } from './forged-identity.ts'
import { onTheService } from './on-the-service.ts'
import { GATEWAYS, type ShippedGateway, startShipped } from './shipped-gateways.ts'
import { type Answer, type HeaderLines, send } from './wire.ts'

/** Forward auth through real gateways, with the configurations of the documentation. */

/** The URL that the callers of a gateway use. */
const ORIGIN = 'https://notes.example'

function bearer(token: string): HeaderLines {
  return [['Authorization', `Bearer ${token}`]]
}

/** Returns the headers that reached it. */
function application(): Server {
  return createServer((request, response) => {
    const about = /^(x[-_]auth[-_]|authorization$)/
    const forwarded = Object.entries(request.headers).filter(([name]) => about.test(name))
    response.end(
      JSON.stringify({ method: request.method, url: request.url, ...Object.fromEntries(forwarded) }),
    )
  }).listen(0, '127.0.0.1')
}

onTheService(
  'a gateway',
  (bench) => {
    async function boundTokens(key: Key): Promise<Tokens> {
      const app = await App.register(bench)
      const proof = key.proof('POST', `${bench.base}/api/oauth/token`)
      return tokensOf(await app.token(app.redemption(await app.code()), [proofLine(proof)]))
    }

    describe.each(GATEWAYS)('%s, as the documentation configures it', (kind) => {
      let behind: Server
      let gateway: ShippedGateway
      beforeAll(async () => {
        behind = application()
        await once(behind, 'listening')
        const { port } = behind.address() as AddressInfo
        gateway = await startShipped(kind, bench.service.port, port)
      })
      afterAll(async () => {
        await gateway?.close()
        behind.close()
      })
      const ask = (headers: HeaderLines, method = 'GET'): Promise<Answer> =>
        send(gateway.port, '/notes?page=2', {
          method,
          headers,
          ...(method === 'POST' ? { body: 'a note' } : {}),
        })

      it('GW-04, GW-05: a request with a valid token reaches the application with its user, client and scopes, and without the token', async () => {
        const app = await App.register(bench)
        const { access_token } = await app.tokens()
        for (const method of ['GET', 'POST']) {
          const answer = await ask(bearer(access_token), method)
          expect(answer.json(), answer.body).toEqual({
            method,
            url: '/notes?page=2',
            'x-auth-subject': 'alice-id',
            'x-auth-client': app.id,
            'x-auth-scope': 'openid profile courses:read',
          })
        }
      })

      it('GW-02, GW-03, GW-07: without a valid token no request reaches the application, and the caller gets the challenge', async () => {
        const app = await App.register(bench)
        const forMcp = await app.tokens({ resource: `${bench.base}/mcp` })
        const narrow = await app.tokens({ scope: 'openid' })
        const revoked = await app.tokens()
        await app.revoke(revoked.access_token)
        for (const [headers, status] of [
          [[], 401],
          [bearer('gka_nothing'), 401],
          [bearer(`${narrow.access_token}x`), 401],
          [bearer(narrow.refresh_token), 401],
          [bearer(revoked.access_token), 401],
          [bearer(forMcp.access_token), 401],
          [bearer(narrow.access_token), 403],
        ] as const) {
          const answer = await ask(headers)
          expect([answer.status, answer.body.includes('/notes')]).toEqual([status, false])
          expect(answer.header('www-authenticate')).toMatch(/^Bearer .*scope="courses:read"/)
        }
      })

      it('GW-01, GW-14: a caller without a token gets no access by any header or method', async () => {
        const claimed = [
          ['X-Auth-Subject', 'alice-id'],
          ['X-Forwarded-User', 'alice-id'],
          ['Cookie', await bench.session('alice')],
        ] as const
        for (const headers of [...FORGERIES, claimed])
          expect((await ask(headers)).status, JSON.stringify(headers)).toBe(401)
        for (const method of ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
          expect((await ask(claimed, method)).status, method).toBe(401)
      })

      it('GW-09: a bound token passes with a proof for the request itself, whatever its headers', async () => {
        const key = new Key()
        const { access_token } = await boundTokens(key)
        const ath = hashOf(access_token)
        const proven = (htm: string, path: string, more: HeaderLines = []): HeaderLines => [
          ['Authorization', `DPoP ${access_token}`],
          proofLine(key.proof(htm, ORIGIN + path, { ath })),
          ...more,
        ]
        const answer = await ask(proven('GET', '/notes'))
        expect([answer.status, answer.json()]).toMatchObject([200, { 'x-auth-subject': 'alice-id' }])
        const elsewhere = [
          ['X-Forwarded-Method', 'POST'],
          ['X-Forwarded-Uri', '/other'],
        ] as const
        const alike = [
          ['X_Forwarded_Method', 'POST'],
          ['x-forwarded-uri', '/other'],
          ['X-Forwarded-Host', 'evil.example'],
        ] as const
        expect((await ask(proven('GET', '/notes', elsewhere))).status).toBe(200)
        for (const headers of [
          proven('POST', '/other', elsewhere),
          proven('GET', '/other', elsewhere.slice(1)),
          proven('POST', '/notes', elsewhere.slice(0, 1)),
          proven('POST', '/other', alike),
          proven('GET', '/notes').slice(0, 1),
          [...proven('GET', '/notes'), proofLine(key.proof('GET', `${ORIGIN}/notes`, { ath }))],
          bearer(access_token),
        ]) {
          const refused = await ask(headers)
          expect([refused.status, refused.body.includes('/notes')], JSON.stringify(headers)).toEqual([
            401,
            false,
          ])
        }
        expect((await ask(proven('GET', '/notes'), 'POST')).status).toBe(401)
      })

      it('GW-10: a client gets the required nonce through the gateway', async () => {
        const key = new Key()
        const { access_token } = await boundTokens(key)
        const proven = (more: object): HeaderLines => [
          ['Authorization', `DPoP ${access_token}`],
          proofLine(key.proof('GET', `${ORIGIN}/notes`, { ath: hashOf(access_token), iat: 1, ...more })),
        ]
        const challenge = await ask(proven({}))
        expect([challenge.status, challenge.header('www-authenticate')]).toEqual([
          401,
          expect.stringMatching(/^DPoP error="use_dpop_nonce"/),
        ])
        expect((await ask(proven({ nonce: challenge.header('dpop-nonce') }))).status).toBe(200)
      })

      it('GW-08: no request passes while the store is unreachable', async () => {
        const { access_token } = await (await App.register(bench)).tokens()
        bench.failuresExpected = true
        bench.fault = () => Promise.reject(new Error('out of reach'))
        try {
          const answer = await ask(bearer(access_token))
          expect(answer.status).toBeGreaterThanOrEqual(500)
          expect(answer.body).not.toContain('/notes')
        } finally {
          bench.fault = undefined
        }
      })
    })
  },
  {
    FORWARD_AUTH: 'on',
    FORWARD_AUTH_ORIGIN: ORIGIN,
    DPOP: 'on',
  },
)
