import { inProcess } from '@grantkit/reference/test/in-process'
import { type RunningService, runService } from '@grantkit/reference/test/service'
import { signedIn } from '@grantkit/reference/test/tokens'
import type { Pair } from './samples.ts'

const QUICK = 20_000
/** The number of samples for passwords, whose hash is slow. */
const SLOW = 100

/** The service without rate limits, which would soon stop the guesses, on a store without delays. */
export function openService(): Promise<RunningService> {
  return runService({ RATE_LIMITS: 'off', LOG_LEVEL: 'silent', DATABASE_URL: 'memory:' })
}

/**
 * Pairs of guesses. The time of the answer must not tell which one is closer. They bypass the network, which only adds
 * noise.
 */
export async function guesses(service: RunningService): Promise<Pair[]> {
  const { client_id, client_secret } = await confidentialClient(service)
  const person = await signedIn(service.baseUrl, 'students:read')
  const token = { token: 'none', grant_type: 'refresh_token', refresh_token: 'none' }
  const client = (secret: string) =>
    post(service, '/api/oauth/token', { ...token, client_id, client_secret: secret })
  const refresh = (refresh_token: string) =>
    post(service, '/api/oauth/token', { ...token, client_id: person.client_id, refresh_token })
  const password = await signIn(service)
  return [
    {
      name: 'client secret: wrong in its first or last character',
      samples: QUICK,
      first: client(wrongAtStart(client_secret)),
      second: client(wrongAtEnd(client_secret)),
    },
    {
      name: 'refresh token: wrong in the first or last character of its secret',
      samples: QUICK,
      first: refresh(wrongAtStart(person.refresh_token)),
      second: refresh(wrongAtEnd(person.refresh_token)),
    },
    {
      name: 'access token: wrong in the first or last character of its secret',
      samples: QUICK,
      first: call(service, wrongAtStart(person.access_token)),
      second: call(service, wrongAtEnd(person.access_token)),
    },
    {
      name: 'sign-in: a known e-mail address or not, a wrong password',
      samples: SLOW,
      first: password('demo@example.com'),
      second: password('nobody@example.com'),
    },
  ]
}

/** Controls: the measurement must see a known difference, and none between equal requests. */
export async function controls(service: RunningService): Promise<{ alike: Pair; different: Pair }> {
  const { client_id, client_secret } = await confidentialClient(service)
  const guess = (secret: string) =>
    post(service, '/api/oauth/revoke', { token: 'none', client_id, client_secret: secret })
  const [first, second] = [guess('wrong'), guess('wrong')]
  return {
    alike: { name: 'control: the same request', samples: QUICK, first, second },
    different: {
      name: 'control: a wrong secret and the right one',
      samples: QUICK,
      first,
      second: guess(client_secret),
    },
  }
}

function answered(service: RunningService, path: string, request: RequestInit) {
  const send = inProcess(service)
  return () => send(new Request(service.baseUrl + path, { method: 'POST', ...request }))
}

function post(
  service: RunningService,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = String(new URLSearchParams(form))
  return answered(service, path, { headers: { ...type, ...headers }, body })
}

function call(service: RunningService, token: string) {
  return answered(service, '/api/students', { method: 'GET', headers: { authorization: `Bearer ${token}` } })
}

async function confidentialClient(service: RunningService) {
  const metadata = {
    redirect_uris: ['http://127.0.0.1:49200/callback'],
    token_endpoint_auth_method: 'client_secret_post',
  }
  const headers = { 'content-type': 'application/json' }
  const register = answered(service, '/api/oauth/register', { headers, body: JSON.stringify(metadata) })
  return (await (await register()).json()) as { client_id: string; client_secret: string }
}

/** Every guess uses the same form. */
async function signIn(service: RunningService) {
  const shown = await answered(service, '/login', { method: 'GET' })()
  const cookie = /^[^;]+/.exec(shown.headers.get('set-cookie') ?? '')?.[0] ?? ''
  const token = /name="token" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
  return (email: string) => post(service, '/login', { token, email, password: 'wrong' }, { cookie })
}

/** The secret of a token is its last part. */
function wrongAtStart(token: string): string {
  return token.replace(/[\w-](?=[\w-]*$)/, differing)
}

function wrongAtEnd(token: string): string {
  return token.replace(/.$/, differing)
}

function differing(character: string): string {
  return character === 'A' ? 'B' : 'A'
}
