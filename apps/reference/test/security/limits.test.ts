import { expect, it } from 'vitest'
import { App } from './app.ts'
import { type Bench, cookieOf } from './bench.ts'
import { onTheService } from './on-the-service.ts'
import { expectError, expectGuardedPage } from './safe-answers.ts'
import type { HeaderLines } from './wire.ts'

/** Excess of any kind: only its sender must wait. */

const REGISTRATION = '{"redirect_uris":["http://127.0.0.1:7001/cb"]}'
const ON = { RATE_LIMITS: 'on' }

onTheService(
  'the limits of registrations and failures',
  (bench) => {
    const register = (headers: HeaderLines = []) =>
      bench.send('/api/oauth/register', {
        method: 'POST',
        headers: [['Content-Type', 'application/json'], ...headers],
        body: REGISTRATION,
      })

    it('DR-10, REQ-64: an address can register a hundred clients and then must wait, whatever headers it sends', async () => {
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
      expect(statuses).toEqual([...Array(99).fill(201), ...Array(11).fill(429)])
      const refused = await register()
      expectError(refused, 'temporarily_unavailable', '', [429])
      expect(Number(refused.header('retry-after'))).toBeGreaterThan(0)
      expect((await app.tokens()).access_token, 'who registered before is served').toMatch(/^gka_/)
    })

    it('CA-08: a client that fails too often must wait, but its valid request is served at once', async () => {
      const [app, other] = [await App.arrange(bench, {}), await App.arrange(bench, {}, 'bob')]
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

onTheService(
  'the limit of passwords',
  (bench) => {
    it('UI-11: an account, known or not, allows ten wrong passwords, and then the caller must wait', async () => {
      for (const email of ['alice@school.example', 'unknown@school.example']) {
        const statuses = await attempts(bench, 12, { email, address: '203.0.113.1' })
        expect(statuses, email).toEqual([...Array(10).fill(401), 429, 429])
      }
    })

    it('UI-11: guessing blocks no other user, not even the owner of the account', async () => {
      const [email, password] = ['bob@school.example', bench.passwordOf('bob')]
      const flood = await attempts(bench, 130, { email, address: '203.0.113.2' })
      expect(flood).toEqual([...Array(10).fill(401), ...Array(120).fill(429)])
      const owner = { email, password, address: '203.0.113.3' }
      expect(await attempts(bench, 1, owner)).toEqual([303])
      expect(await attempts(bench, 1, { ...owner, address: '203.0.113.2' })).toEqual([429])
    })
  },
  { ...ON, TRUST_PROXY: 'loopback' },
)

interface Attempt {
  readonly email: string
  readonly password?: string
  readonly address: string
}

/** Sends the sign-in form of one page again and again. */
async function attempts(
  bench: Bench,
  count: number,
  { email, password = 'a guess', address }: Attempt,
): Promise<number[]> {
  const page = await bench.send('/login')
  const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const headers: HeaderLines = [
    ['Cookie', cookieOf(page)],
    ['X-Forwarded-For', address],
  ]
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    const answer = await bench.post('/login', { token, email, password }, headers)
    if (answer.status !== 303) expectGuardedPage(answer)
    if (answer.status === 429) expect(Number(answer.header('retry-after'))).toBeGreaterThan(0)
    statuses.push(answer.status)
  }
  return statuses
}
