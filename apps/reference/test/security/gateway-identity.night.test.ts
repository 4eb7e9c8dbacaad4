import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type CgiProgram, startCgi, startWsgi } from '@grantkit/test-servers/cgi-programs'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { App, tokensOf } from './app.ts'
import { Bench } from './bench.ts'
import { EVERY_SPELLING, FORGED, FORGERIES, MALFORMED } from './forged-identity.ts'
import { GATEWAYS, type ShippedGateway, startShipped } from './shipped-gateways.ts'
import { type Answer, exchange, type HeaderLines, send } from './wire.ts'

/** The identity that CGI and WSGI programs see, which read `X_Auth_Subject` as `X-Auth-Subject`. */

const PROGRAMS = { WSGI: startWsgi, CGI: startCgi }
const bench = new Bench('memory')
const user: Record<string, string> = { HTTP_X_AUTH_SUBJECT: 'alice-id', HTTP_X_AUTH_SCOPE: 'courses:read' }
const job: Record<string, string> = { HTTP_X_AUTH_SUBJECT: '-', HTTP_X_AUTH_SCOPE: 'courses:read' }
let ofUser: HeaderLines
let ofJob: HeaderLines

beforeAll(async () => {
  await bench.start({ FORWARD_AUTH: 'on', FORWARD_AUTH_CLIENT_CREDENTIALS: 'on', CLIENT_CREDENTIALS: 'on' })
  const app = await App.register(bench)
  user.HTTP_X_AUTH_CLIENT = app.id
  ofUser = bearer((await app.tokens({ scope: 'courses:read' })).access_token)
  const client = await App.arrange(bench, {
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: ['courses:read'],
  })
  job.HTTP_X_AUTH_CLIENT = client.id
  const tokens = await client.token({ grant_type: 'client_credentials', ...client.credentials })
  ofJob = bearer(tokensOf(tokens).access_token)
})
afterAll(() => bench.stop())
afterEach(() => expect(bench.unexpectedFailures()).toEqual([]))

const bearer = (token: string): HeaderLines => [['Authorization', `Bearer ${token}`]]

/** The variables with the identity of the caller. */
function identityIn({ body }: Answer): object {
  const lines = body.split('\n').filter((line) => /^HTTP_[^=]*AUTH/.test(line))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2)))
}

describe.each(GATEWAYS)('%s, as the documentation configures it,', (kind) => {
  describe.each(['WSGI', 'CGI'] as const)('in front of a %s program', (interfaceName) => {
    let program: CgiProgram
    let gateway: ShippedGateway
    beforeAll(async () => {
      program = await PROGRAMS[interfaceName]()
      gateway = await startShipped(kind, bench.service.port, program.port)
    })
    afterAll(async () => {
      await gateway?.close()
      await program.close()
    })
    const ask = (headers: HeaderLines) => send(gateway.port, '/notes', { headers })

    async function expectIdentity(identity: object, headers: HeaderLines, token: HeaderLines): Promise<void> {
      const answer = await ask([...headers, ...token])
      const sent = JSON.stringify(headers)
      expect([answer.status, identityIn(answer)], sent).toEqual([200, identity])
      expect(answer.body, sent).not.toContain(FORGED)
      // Or the next proxy would remove it.
      expect(answer.body, sent).not.toMatch(/^HTTP_CONNECTION=.*x-auth/im)
    }

    it('GW-06: no header adds to the identity of the token, or removes it', async () => {
      for (const headers of FORGERIES) await expectIdentity(user, headers, ofUser)
    })

    it('GW-11: a client-credentials token has no user, whatever headers its caller sends', async () => {
      for (const headers of [[], EVERY_SPELLING]) await expectIdentity(job, headers, ofJob)
    })

    it('GW-12: a malformed header line is rejected, or changes no identity', async () => {
      for (const headers of MALFORMED) {
        const answer = await ask([...headers, ...ofUser])
        expect(identityIn(answer), JSON.stringify(headers)).toEqual(answer.status === 200 ? user : {})
      }
    })

    it('GW-13: a trailer is rejected, or changes no identity', async () => {
      const token = ofUser.map(([name, value]) => `${name}: ${value}`)
      const head = ['POST /notes HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked', ...token]
      for (const trailer of ['X-Auth-Subject', 'X_Auth_Subject']) {
        const lines = [
          ...head,
          'Connection: close',
          `Trailer: ${trailer}`,
          '',
          '0',
          `${trailer}: ${FORGED}`,
          '',
          '',
        ]
        const answer = await exchange(gateway.port, lines.join('\r\n'))
        expect(identityIn(answer), trailer).toEqual(answer.status === 200 ? user : {})
      }
    })
  })
})

it('HAProxy responds in JSON with Retry-After if the service does not respond', async () => {
  // It would try for three seconds to connect to a closed port.
  const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const gateway = await startShipped('HAProxy', port, port)
  onTestFinished(() => gateway.close())
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/notes`)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await answer.json()).toEqual({ error: 'temporarily_unavailable' })
})
