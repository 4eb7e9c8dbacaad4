import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Addressed, type Received, rawRequest, type Sent } from './raw-request.ts'

/** The exact security headers of each route: a new route needs a row. */
export interface Row {
  readonly ask?: Omit<Sent, 'path'>
  readonly status?: number
  readonly headers: Headers
  /** The headers that let scripts of other origins read the answer; without them they never may. */
  readonly cors?: Headers
  /** The status of a preflight; 405 if no request of a script needs one. */
  readonly preflight?: number
}
type Headers = Readonly<Record<string, string | readonly string[]>>

const EVERY = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
export const NO_STORE = { ...EVERY, 'cache-control': 'no-store' }
export const cached = (seconds: number) => ({ ...EVERY, 'cache-control': `public, max-age=${seconds}` })

/** Style and logo are inside a page. `securityHeaders` leaves the hash of the style out. */
export const page = (further = "form-action 'none'; ") => ({
  ...NO_STORE,
  'content-security-policy': `default-src 'none'; style-src 'sha256-…'; img-src data:; ${further}base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
})
export const OWN_FORMS = "form-action 'self'; "

export const ANY_ORIGIN = { 'access-control-allow-origin': '*' }
export const PROTOCOL = {
  ...ANY_ORIGIN,
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After, ETag, Grantkit-Reference',
}

const SECURITY =
  /^(content-security-policy|referrer-policy|x-(frame|content-type)-options|strict-transport-security|cache-control|pragma|vary|set-cookie|access-control-.*|server|x-powered-by)$/

/** The headers that the table names; a cookie without its value, and a policy without the hash of the style. */
function securityHeaders({ headers }: Received): object {
  const cookies = headers['set-cookie']?.map((line) => line.replace(/(-\d+)?(\.[\w-]{8})?=[^;]*/, '=…'))
  const policy = String(headers['content-security-policy']).replace(/(?<='sha256-)[^']+/, '…')
  const all = { ...headers, 'content-security-policy': policy, ...(cookies ? { 'set-cookie': cookies } : {}) }
  return Object.fromEntries(Object.entries(all).filter(([name]) => SECURITY.test(name)))
}

type ExpectHeaders = (sent: Sent, status: number, headers: object) => Promise<Received>
interface Checked<S> {
  readonly https: boolean
  readonly server: () => S
  readonly expectHeaders: ExpectHeaders
}

const HSTS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

/** Checks every row, and what more there is, on http and behind a proxy that ends TLS. @param start with these variables */
export function describeHeaders<S extends Addressed & { close(): Promise<void> }>(
  start: (variables: Record<string, string>) => Promise<S>,
  rowsOf: (https: boolean) => Readonly<Record<string, Row>>,
  more: (checked: Checked<S>) => void,
): void {
  describe.each([
    ['http', {}, {}],
    ['https, which a proxy ends', { BASE_URL: 'https://server.example' }, HSTS],
  ])('on %s', (_, variables: Record<string, string>, always) => {
    const https = 'BASE_URL' in variables
    let server: S
    beforeAll(async () => {
      server = await start(variables)
    })
    afterAll(() => server.close())

    const ask = (sent: Sent) =>
      rawRequest(server, { ...sent, headers: { origin: 'https://elsewhere.example', ...sent.headers } })
    const at = (path: string) => path.replace(/:\w+$/, 'none')

    const expectHeaders: ExpectHeaders = async (sent, status, headers) => {
      const answer = await ask(sent)
      const of = `${sent.method ?? 'GET'} ${sent.path}`
      expect([of, answer.status, securityHeaders(answer)]).toEqual([of, status, { ...always, ...headers }])
      return answer
    }

    it.each(Object.entries(rowsOf(https)))('%s answers with its headers', async (path, row) => {
      const { ask: sent, status = 200, headers, cors } = row
      await expectHeaders({ ...sent, path: at(path) }, status, { ...headers, ...cors })
    })

    it.each(Object.entries(rowsOf(https)))(
      '%s answers a preflight with the allowed origins',
      async (path, row) => {
        const preflight = { 'access-control-request-method': 'POST' }
        const { status, headers } = await ask({ method: 'OPTIONS', path: at(path), headers: preflight })
        expect(status).toBe(row.preflight ?? 405)
        const open = status === 204
        expect(headers['access-control-allow-origin']).toBe(open ? '*' : undefined)
        expect('access-control-allow-methods' in headers).toBe(open)
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
      },
    )

    more({ https, server: () => server, expectHeaders })
  })
}
