import { expect, it } from 'vitest'
import { App } from './app.ts'
import type { Bench } from './bench.ts'
import { onBothStores } from './on-both-stores.ts'
import { expectError, expectGuardedPage } from './safe-answers.ts'
import type { HeaderLines } from './wire.ts'

/** Excess of any kind: its sender must wait, and nobody else. */

const REGISTRATION = '{"redirect_uris":["http://127.0.0.1:7001/cb"]}'
const ON = { RATE_LIMITS: 'on' }

onBothStores(
  'the limit of registrations',
  (bench) => {
    const register = (headers: HeaderLines = []) =>
      bench.send('/api/oauth/register', {
        method: 'POST',
        headers: [['Content-Type', 'application/json'], ...headers],
        body: REGISTRATION,
      })

    it('DR-10, REQ-64: an address registers a hundred clients and then waits, whatever headers say who it is', async () => {
      const app = await App.register(bench)
      const statuses: number[] = []
      for (let n = 0; n < 110; n++) {
        const spoofed = [
          ['X-Forwarded-For', `203.0.113.${n}`],
          ['X-Real-IP', `203.0.113.${n}`],
          ['Forwarded', `for=198.51.100.${n}`],
        ] as const
        statuses.push((await register(spoofed)).status)
      }
      expect(statuses.slice(0, 99)).toEqual(Array(99).fill(201))
      expect(statuses.slice(99)).toEqual(Array(11).fill(429))
      const refused = await register()
      expectError(refused, 'temporarily_unavailable', '', [429])
      expect(Number(refused.header('retry-after'))).toBeGreaterThan(0)
      expect((await app.tokens()).access_token, 'who registered before is served').toMatch(/^gka_/)
    })
  },
  ON,
)

onBothStores(
  'the limit of failures',
  (bench) => {
    it('CA-08: a client that fails too often must wait, but its valid request is served at once', async () => {
      const confidential = { token_endpoint_auth_method: 'client_secret_post' }
      const [app, other] = [
        await App.register(bench, confidential),
        await App.register(bench, confidential, 'bob'),
      ]
      const code = await app.code()
      const statuses: number[] = []
      for (let n = 0; n < 130; n++)
        statuses.push((await app.redeem(code, { client_secret: `wrong-${n}` })).status)
      expect(statuses).toEqual([...Array(100).fill(401), ...Array(30).fill(429)])
      expect((await other.tokens()).access_token).toMatch(/^gka_/)
      expect((await app.redeem(code)).status).toBe(200)
    })
  },
  ON,
)

onBothStores(
  'the limit of passwords',
  (bench) => {
    it('UI-11: an account is guessed at ten times, unknown or not, and then whoever tries waits', async () => {
      for (const email of ['alice@school.example', 'nobody@school.example']) {
        const statuses = await guesses(bench, email, 12)
        expect(statuses, email).toEqual([...Array(10).fill(401), 429, 429])
      }
      expect((await bench.signIn('bob', bench.passwordOf('bob'))).length).toBeGreaterThan(20)
    })
  },
  ON,
)

async function guesses(bench: Bench, email: string, count: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    const page = await bench.send('/login')
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const cookie = page.header('set-cookie')?.split(';')[0] ?? ''
    const answer = await bench.post('/login', { token, email, password: `guess ${n}` }, [['Cookie', cookie]])
    expectGuardedPage(answer)
    if (answer.status === 429) expect(Number(answer.header('retry-after'))).toBeGreaterThan(0)
    statuses.push(answer.status)
  }
  return statuses
}
