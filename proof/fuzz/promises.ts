import type { Answer } from '@grantkit/reference/test/security/wire'
import { CANARY, HEADER_CANARY } from './mutations.ts'

/** The requirements for every answer to any request. */
export interface Heard {
  readonly answer: Answer
  /** The request as it was sent. */
  readonly bytes: Buffer
  readonly secrets: ReadonlySet<string>
}

/** One sentence for each broken promise. */
export function brokenPromises(heard: Heard): string[] {
  return PROMISES.flatMap(([sentence, kept]) => (kept(heard) ? [] : [sentence]))
}

const bodyIs = (answer: Answer, type: string) => (answer.header('content-type') ?? '').startsWith(type)
const PRIVATE =
  /^\S+ \/(oauth\/|api\/oauth\/(token|register|revoke|introspect|userinfo)|login|logout)[^/]*[? ]/

const PROMISES: readonly (readonly [string, (heard: Heard) => boolean])[] = [
  ['it has a status that a client can act on', ({ answer }) => answer.status >= 200 && answer.status <= 599],
  ['it is no server error but 503', ({ answer }) => answer.status < 500 || answer.status === 503],
  ['its body has a type', ({ answer }) => answer.body === '' || answer.header('content-type') !== undefined],
  [
    'JSON can be read',
    // If a client sends more than it announced, the server may close the connection during a long answer.
    ({ answer }) =>
      !bodyIs(answer, 'application/json') || answer.body === '' || answer.broken || isJson(answer.body),
  ],
  ['an error is JSON or a page', isReadableError],
  ['what concerns tokens is kept nowhere', isKeptNowhere],
  ['a page shows nothing of the request as markup', showsNoMarkup],
  ['a page is guarded', isGuarded],
  ['no header is made by the request', ({ answer }) => answer.header(HEADER_CANARY) === undefined],
  ['it tells no secret that the request did not have', tellsNoSecret],
  [
    'it says nothing of the inside',
    ({ answer }) => !/node_modules|\n\s+at \S|TypeError|\.ts:\d/.test(answer.body),
  ],
  [
    'it names no framework',
    ({ answer }) => ['server', 'x-powered-by'].every((name) => answer.header(name) === undefined),
  ],
]

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** `error` and `error_description`, a page, the words of JSON-RPC, or of a probe. */
function isReadableError({ answer }: Heard): boolean {
  if (answer.status < 400 || answer.body === '' || bodyIs(answer, 'text/html')) return true
  if (!bodyIs(answer, 'application/json') || !isJson(answer.body)) return false
  const body = answer.json()
  return typeof body.error_description === 'string' || body.jsonrpc === '2.0' || body.status === 'not ready'
}

function isKeptNowhere({ answer, bytes }: Heard): boolean {
  const line = bytes.subarray(0, 200).toString('latin1')
  const concerned = PRIVATE.test(line) || /gk[acr]_[\w-]{22}/.test(answer.body + answer.header('location'))
  // Answers without a body: a preflight, an unknown path, Node's refusal of an expectation, a framework's refusal of a
  // bad Host.
  const saysNothing = [204, 404, 417].includes(answer.status) || (answer.status === 400 && answer.body === '')
  return !concerned || saysNothing || answer.header('cache-control') === 'no-store'
}

function showsNoMarkup({ answer }: Heard): boolean {
  return !bodyIs(answer, 'text/html') || !answer.body.includes(CANARY.slice(CANARY.indexOf('<')))
}

function isGuarded({ answer }: Heard): boolean {
  if (!bodyIs(answer, 'text/html')) return true
  const policy = answer.header('content-security-policy') ?? ''
  return policy.includes("frame-ancestors 'none'") && !/(default|script)-src[^;]*unsafe/.test(policy)
}

function tellsNoSecret({ answer, bytes, secrets }: Heard): boolean {
  const told = answer.lines.map(([, value]) => value).join('\n') + answer.body
  const asked = bytes.toString()
  const decoded = decodedText(asked)
  // A retried refresh gets the same successor again.
  const tokens = answer.status === 200 && answer.body.startsWith('{"access_token"')
  return (
    tokens || ![...secrets].some((secret) => told.includes(secret) && !(asked + decoded).includes(secret))
  )
}

function decodedText(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
