import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { drive } from './load.ts'
import type { TargetProcess } from './target-process.ts'
import { WORK, type WorkName, type WorkRow } from './work.ts'

const SPOT_CHECKS = 5

/** A finished round, after its clock has stopped. */
export interface Answered {
  readonly target: TargetProcess
  readonly work: WorkName
  readonly requests: readonly string[]
  readonly bodies: readonly string[]
}

/**
 * Checks the answers of a round: all tokens and consent tickets are different, some of the tokens work at the guarded
 * route, and the browser was sent to sign in.
 *
 * @throws Error that says what is wrong
 */
export async function checkAnswers({ target, work, requests, bodies }: Answered): Promise<void> {
  if (work === 'authorize') await requireSignIn(target, requests[0] ?? '')
  if (work === 'authorize-document') requireDifferent(bodies, 'ticket')
  const { tokens = false }: WorkRow = WORK[work]
  if (work === 'introspect') requireAll(bodies, (body) => body.active === true, 'an inactive token')
  if (work === 'mcp-call') requireAll(bodies, isToolResult, 'no result of a tool')
  if (work === 'register')
    requireDifferent(
      bodies.map((body) => JSON.parse(body).client_id),
      'client_id',
    )
  if (!tokens) return
  const answers = bodies.map((body) => JSON.parse(body))
  requireDifferent(
    answers.map(({ access_token }) => access_token),
    'access_token',
  )
  requireDifferent(
    answers.map(({ refresh_token }) => refresh_token),
    'refresh_token',
  )
  if (work.startsWith('id-token'))
    requireAll(bodies, (body) => isSigned(body.id_token, work), 'no such ID token')
  await requireUsable(target, sample(answers.map(({ access_token }) => access_token)))
}

function requireAll(
  bodies: readonly string[],
  holds: (body: Record<string, unknown>) => boolean,
  otherwise: string,
) {
  const bad = bodies.find((body) => !holds(JSON.parse(body)))
  if (bad !== undefined) throw new Error(`Answered ${otherwise}: ${bad.slice(0, 500)}`)
}

function isToolResult({ result }: Record<string, unknown>): boolean {
  return typeof result === 'object' && result !== null && !('isError' in result)
}

function requireDifferent(values: readonly unknown[], name: string): void {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length < values.length) throw new Error(`An answer lacks ${name}`)
  if (new Set(texts).size < texts.length) throw new Error(`Two answers have one ${name}`)
}

function isSigned(idToken: unknown, work: WorkName): boolean {
  const [header = ''] = String(idToken).split('.')
  return (
    JSON.parse(String(Buffer.from(header, 'base64url'))).alg === work.slice('id-token-'.length).toUpperCase()
  )
}

function sample<T>(values: readonly T[]): T[] {
  const step = Math.ceil(values.length / SPOT_CHECKS)
  return values.filter((_, index) => index % step === 0)
}

/** A redirect back to the client would be an error, and less work. */
async function requireSignIn({ port }: TargetProcess, request: string): Promise<void> {
  const [, path] = request.split(' ')
  // Not by `fetch`, whose headers show that it is a script: some servers answer scripts without a redirect.
  const sent = get({ port, path, host: '127.0.0.1', agent: false })
  const [{ headers }] = (await once(sent, 'response')) as [IncomingMessage]
  sent.destroy()
  const { location = '' } = headers
  if (!location.includes('/login')) throw new Error(`Not sent to sign in but to ${location}`)
}

async function requireUsable(target: TargetProcess, tokens: readonly string[]): Promise<void> {
  const { requests = [] } = await target.ask({ do: 'open', tokens })
  if (requests.length === 0) return
  const bytes = requests.map((request) => Buffer.from(request))
  await drive({ port: target.port, requests: bytes, connections: 1, expected: (status) => status === 200 })
  const [request = ''] = requests
  const [token = ''] = tokens
  const forged = Buffer.from(request.replace(token, otherSecret(token)))
  await drive({
    port: target.port,
    requests: [forged],
    connections: 1,
    expected: (status) => status === 401 || status === 400,
  })
}

/** A different token of the same form. It does not change the last character, which may hold unused bits. */
function otherSecret(token: string): string {
  return `${token.slice(0, -3)}${token.at(-3) === 'a' ? 'b' : 'a'}${token.slice(-2)}`
}
