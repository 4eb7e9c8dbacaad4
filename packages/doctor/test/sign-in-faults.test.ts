import { generateKeyPairSync } from 'node:crypto'
import { createAuthorizationServer, type HttpResponse, type Interaction, PrivateJwk } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { expect, it } from 'vitest'
import { diagnose, type SendProbe } from '../src/index.ts'

/**
 * Faults of a deployment that keep apps from asking at all, so no verdict on a single sign-in can say more than that. Each is one
 * of a real server, or of what stands before it.
 */
interface Fault {
  readonly fault: string
  /** Default: the address of the deployment. */
  readonly issuer?: string
  /** What the app gets in place of the answer. */
  readonly onTheWay?: (path: string, answer: HttpResponse) => HttpResponse
  readonly check: string
  readonly seen: string
}

const ADDRESS = 'https://server.example'
const RESOURCE = `${ADDRESS}/mcp`
const OPTIONS = { resource: RESOURCE, register: false }

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = PrivateJwk.parse({ ...privateKey.export({ format: 'jwk' }), kid: 'a key', alg: 'RS256' })

const challengeWith = (challenge: string) => (path: string, answer: HttpResponse) =>
  path.endsWith('/userinfo')
    ? { ...answer, headers: { ...answer.headers, 'www-authenticate': challenge } }
    : answer

const FAULTS: readonly Fault[] = [
  {
    fault: 'the issuer has a slash that the address has not',
    issuer: `${ADDRESS}/`,
    check: 'issuer',
    seen: `the server metadata says ${ADDRESS}/, not ${ADDRESS}`,
  },
  {
    fault: 'the challenge of the API names no resource_metadata',
    onTheWay: challengeWith('Bearer error="invalid_token"'),
    check: 'challenge',
    seen: 'WWW-Authenticate is "Bearer error="invalid_token""',
  },
  {
    fault: 'the challenge of the API names a relative resource_metadata',
    onTheWay: challengeWith('Bearer resource_metadata="/.well-known/oauth-protected-resource"'),
    check: 'challenge',
    seen: 'resource_metadata is "/.well-known/oauth-protected-resource", which is not absolute',
  },
  {
    fault: 'the resource metadata is not at the address with the path of the resource',
    onTheWay: (path, answer) =>
      path === '/.well-known/oauth-protected-resource/mcp' ? { ...answer, status: 404 } : answer,
    check: 'resource-metadata',
    seen: 'the answer was 404',
  },
  {
    fault: 'the host is private, or closed to the network of the app',
    onTheWay: () => {
      throw new TypeError('fetch failed')
    },
    check: 'server-metadata',
    seen: 'there was no answer that is in time, unencoded and below 1 MiB',
  },
]

it.each(FAULTS)('the doctor sees that $fault', async ({ issuer, onTheWay, check, seen }) => {
  const findings = await diagnose(ADDRESS, deployment(issuer, onTheWay), OPTIONS)
  const failed = findings.find(({ id }) => id === check)
  expect(failed).toMatchObject({ verdict: 'failed', seen, causes: 'never_requested' })
})

it('the doctor sees nothing of them where they are not', async () => {
  const findings = await diagnose(ADDRESS, deployment(), OPTIONS)
  const checks = FAULTS.map(({ check }) => check)
  expect(findings.filter(({ id, verdict }) => checks.includes(id) && verdict !== 'passed')).toEqual([])
})

/** A server and its API in this process. */
function deployment(issuer = ADDRESS, onTheWay: Fault['onTheWay'] = (_, answer) => answer): SendProbe {
  const store = createMemoryStore()
  const scopes = { openid: { description: 'Sign you in' } }
  const secret = 'a secret of the tests, long enough to pass'
  const interaction = {} as Interaction
  const { routes } = createAuthorizationServer({
    ...{ issuer, store, scopes, secret, interaction },
    resources: [issuer, RESOURCE],
    keys: [KEY],
    claims: async () => ({}),
  })
  return async ({ method, url, headers = {}, body = '' }) => {
    const { pathname, search } = new URL(url)
    const request = { method, path: pathname, query: search.slice(1), headers, body }
    const answer = await routes.find(({ path }) => path === pathname)?.handle(request)
    return onTheWay(pathname, answer ?? { status: 404, headers: {}, body: '' })
  }
}
