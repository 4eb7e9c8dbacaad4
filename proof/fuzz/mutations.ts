import fc from 'fast-check'
import { GOOD_REQUESTS, type GoodRequest, type Pair } from './requests.ts'

/** A text that no page may contain unescaped, and no header at all. */
export const CANARY = `x4711'"><x4711 onerror=1>`
export const HEADER_CANARY = 'x-4711-evil'

/** Hostile values for a mutation; a name in braces swaps one credential for another. */
const HOSTILE = [
  '',
  CANARY,
  `a\r\n${HEADER_CANARY}: 1`,
  `a\n${HEADER_CANARY}: 1`,
  '%0d%0ax-4711-evil:%201',
  '\0',
  'a\0b',
  '%',
  '%zz',
  '%00',
  '%c0%af',
  '../../etc/passwd',
  '😀𝒳é中\u202e\ufeff',
  '\ud800',
  '__proto__',
  'constructor',
  '[object Object]',
  '{}',
  '[]',
  'null',
  '-1',
  '1e400',
  '9'.repeat(400),
  'x'.repeat(5000),
  'a '.repeat(2000),
  'https://evil.example/',
  '//evil.example',
  'javascript:alert(1)',
  'eyJhbGciOiJub25lIn0.e30.',
  '{client_id}',
  '{other_client_id}',
  '{confidential_id}',
  '{confidential_secret}',
  '{access_token}',
  '{refresh_token}',
  '{other_token}',
  '{other_refresh_token}',
  '{other_code}',
  '{code}',
  '{id_token}',
  '{ticket}',
  '{session}',
] as const

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)
const NAMES = [
  'scope',
  'state',
  'resource',
  'prompt',
  'client_id',
  'redirect_uri',
  'request',
  'request_uri',
  'code[]',
  'a[b]',
]
const HEADERS = [
  'Authorization',
  'Cookie',
  'Origin',
  'Host',
  'Content-Type',
  'Content-Encoding',
  'Accept',
  'Expect',
  'Upgrade',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-HTTP-Method-Override',
  'If-None-Match',
  'Range',
  'TE',
  'Sec-Fetch-Site',
  'Transfer-Encoding',
  'Content-Length',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'Connection',
  'X'.repeat(200),
]
const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'x',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded, application/json',
  ';',
  '',
]
const METHODS = [
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'FOO',
  'PRI',
]
const PATHS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `${path};x=1`,
  (path) => `${path}%00`,
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => `/x/..${path}`,
  (path) => `/.${path}`,
  (path) => path.replaceAll('/', '\\'),
  (path) => `http://evil.example${path}`,
  (path) => `http://user@evil.example:99999${path}`,
  (path) => `${path}#${CANARY}`,
  (path) => `${path}?${'a=b&'.repeat(900)}`,
  (path) => `${path}/${encodeURIComponent(CANARY)}`,
  (path) => `${path}/${'x'.repeat(3000)}`,
  () => '*',
  () => '/%zz',
]

export type Framing = 'length' | 'chunked' | 'both' | 'short' | 'long' | 'twice' | 'none'

/** A good request and its mutations, in an order that shrinking can undo. */
export interface FuzzedRequest extends GoodRequest {
  readonly framing: Framing
  /** Whether to percent-encode the pairs. */
  readonly encoded: boolean
  /** Final changes of the bytes: at this position, this many are replaced. */
  readonly noise: readonly { readonly at: number; readonly drop: number; readonly put: Uint8Array }[]
}

type Mutation = (request: FuzzedRequest) => FuzzedRequest

const onPairs =
  (change: (pairs: readonly Pair[]) => readonly Pair[], where: 'query' | 'form' | 'headers'): Mutation =>
  (request) =>
    request[where] === undefined ? request : { ...request, [where]: change(request[where] ?? []) }
const at = (pairs: readonly Pair[], place: number) => Math.floor(place * pairs.length)
const place = fc.double({ min: 0, max: 0.999, noNaN: true })
const where = fc.constantFrom('query' as const, 'form' as const, 'form' as const, 'headers' as const)

const pairMutation = fc.oneof(
  fc.tuple(place, where).map(([p, w]) => onPairs((pairs) => pairs.toSpliced(at(pairs, p), 1), w)),
  fc
    .tuple(place, where)
    .map(([p, w]) => onPairs((pairs) => [...pairs, ...pairs.slice(at(pairs, p)).slice(0, 1)], w)),
  fc
    .tuple(place, where, value)
    .map(([p, w, given]) =>
      onPairs(
        (pairs) => pairs.map((pair, index): Pair => (index === at(pairs, p) ? [pair[0], given] : pair)),
        w,
      ),
    ),
  fc.tuple(place, place, where).map(([p, q, w]) =>
    onPairs((pairs) => {
      const [one, other] = [pairs[at(pairs, p)], pairs[at(pairs, q)]]
      if (one === undefined || other === undefined) return pairs
      return pairs.map(
        (pair): Pair => (pair === one ? [one[0], other[1]] : pair === other ? [other[0], one[1]] : pair),
      )
    }, w),
  ),
  fc
    .tuple(fc.constantFrom(...NAMES), value, fc.constantFrom('query' as const, 'form' as const))
    .map(([name, given, w]) => onPairs((pairs) => [...pairs, [name, given]], w)),
  fc
    .tuple(fc.constantFrom(...HEADERS), value)
    .map(([name, given]) => onPairs((pairs) => [...pairs, [name, given]], 'headers')),
)

const requestMutation = fc.oneof(
  fc.constantFrom(...METHODS).map(
    (method): Mutation =>
      (request) => ({ ...request, method }),
  ),
  fc.constantFrom(...PATHS).map(
    (change): Mutation =>
      (request) => ({ ...request, path: change(request.path) }),
  ),
  fc
    .constantFrom(...TYPES)
    .map((type) =>
      onPairs(
        (pairs) => [['Content-Type', type], ...pairs.filter(([name]) => name !== 'Content-Type')],
        'headers',
      ),
    ),
  fc.constantFrom<Framing[]>('chunked', 'both', 'short', 'long', 'twice', 'none').map(
    (framing): Mutation =>
      (request) => ({ ...request, framing }),
  ),
  fc.constant<Mutation>((request) => ({ ...request, encoded: false })),
)

const bodyMutation = fc.oneof(
  fc.json().map(
    (text): Mutation =>
      (request) => ({ ...request, form: [], text }),
  ),
  value.map(
    (given): Mutation =>
      (request) => ({ ...request, form: [], text: given }),
  ),
  fc.tuple(place, value).map(
    ([p, given]): Mutation =>
      (request) => {
        const { text } = request
        if (text === undefined) return request
        const cut = Math.floor(p * text.length)
        return { ...request, text: text.slice(0, cut) + given + text.slice(cut) }
      },
  ),
  fc.tuple(place, value).map(
    ([p, given]): Mutation =>
      (request) =>
        changedMember(request, p, given),
  ),
  fc.integer({ min: 1, max: 90_000 }).map(
    (length): Mutation =>
      (request) => ({
        ...request,
        text: `${request.text ?? ''}${' '.repeat(length)}`,
      }),
  ),
)

/** Replaces one member of the JSON in a request. */
function changedMember(request: FuzzedRequest, p: number, given: string): FuzzedRequest {
  try {
    const members = Object.entries(JSON.parse(request.text ?? '') as object)
    const chosen = Math.floor(p * members.length)
    const others = [given, [given], [[given]], { a: given }, null, 0, true] as const
    const changed = members.map(([name, old], index) => [
      name,
      index === chosen ? others[given.length % 7] : old,
    ])
    return { ...request, text: JSON.stringify(Object.fromEntries(changed)) }
  } catch {
    return request
  }
}

const noise = fc.array(
  fc.record({ at: place, drop: fc.integer({ min: 0, max: 8 }), put: fc.uint8Array({ maxLength: 8 }) }),
  { maxLength: 2 },
)

/** Arbitrary mutations of good requests: usually one or two, so that most requests get far before a refusal. */
export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc
  .tuple(
    fc.constantFrom(...GOOD_REQUESTS),
    fc.array(
      fc.oneof(
        { weight: 5, arbitrary: pairMutation },
        { weight: 2, arbitrary: requestMutation },
        { weight: 2, arbitrary: bodyMutation },
      ),
      { maxLength: 3 },
    ),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant<FuzzedRequest['noise']>([]) },
      { weight: 1, arbitrary: noise },
    ),
  )
  .map(([good, mutations, bytes]) => {
    const request: FuzzedRequest = { ...good, framing: 'length', encoded: true, noise: bytes }
    return mutations.reduce((changed, mutate) => mutate(changed), request)
  })
