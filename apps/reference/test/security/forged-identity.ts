import type { HeaderLines } from './wire.ts'

/** Requests by which a caller tries to forge the identity that the application behind a gateway sees. */

export const FORGED = 'mallory'

const HEADERS = ['X-Auth-Subject', 'X-Auth-Client', 'X-Auth-Scope']
const CASES = [
  (name: string) => name,
  (name: string) => name.toLowerCase(),
  (name: string) => name.toUpperCase(),
]
/** What a header name may have apart from letters and digits (RFC 9110 5.6.2). */
const MARKS = [..."-_.!#$%&'*+^`|~"]

const forged = (names: readonly string[]): HeaderLines => names.map((name) => [name, FORGED])
const spelled = (name: string, one: string, other: string): string => {
  const [x = '', auth = '', last = ''] = name.split('-')
  return x + one + auth + other + last
}
const spellings = (name: string): string[] =>
  ['-', '_'].flatMap((one) => ['-', '_'].map((other) => spelled(name, one, other)))

/** The spellings that some program reads as one of these headers, each in every case. */
const SPELLINGS = HEADERS.flatMap(spellings).map((name) => CASES.map((write) => write(name)))
const ODD = HEADERS.flatMap((name) =>
  MARKS.flatMap((mark) => [
    spelled(name, mark, mark),
    spelled(name, mark, '-'),
    spelled(name, '-', mark),
    spelled(name, mark, '_'),
  ]),
)

const connection = (value: string): HeaderLines => [['Connection', value]]
const chunksOf = (names: readonly string[], size: number): string[][] =>
  names.length === 0 ? [] : [names.slice(0, size), ...chunksOf(names.slice(size), size)]

export const EVERY_SPELLING = forged(SPELLINGS.flat())

/** Header lines that any gateway takes. */
export const FORGERIES: readonly HeaderLines[] = [
  ...SPELLINGS.flatMap((names) => [
    forged(names),
    [...connection(`close, ${names.join(', ')}`), ...forged(names)],
  ]),
  EVERY_SPELLING,
  ...HEADERS.map((name) => forged([name, name, name])),
  ...chunksOf(ODD, 30).map(forged),
  // Headers that the gateway itself adds.
  ...HEADERS.flatMap((name) => CASES.map((write) => connection(`close, ${write(name)}`))),
  connection(`${HEADERS.join(',')},close`),
  [...HEADERS.flatMap(connection), ...connection('close')],
  [...connection(`close, Upgrade, ${HEADERS.join(', ')}`), ['Upgrade', 'example/1']],
  ...HEADERS.map((name): HeaderLines => {
    const others = ['Trailer', 'Proxy-Connection', 'Keep-Alive'].map((other) => [other, name] as const)
    return [...connection('close, TE, Trailer'), ['TE', 'trailers'], ...others, ...forged([name])]
  }),
]

/** Requests that are no HTTP, which a gateway may refuse. */
export const MALFORMED: readonly HeaderLines[] = HEADERS.flatMap((name) => [
  forged([`${name} `]),
  forged([`${name}\t`]),
  forged([` ${name}`]),
  forged([`${name}\0`]),
  forged([name.replace('-', '\u00ad')]),
  forged([name.replace('-', ' ')]),
  [['X-Note', `note\r\n ${name}: ${FORGED}`]],
  [['X-Note', `note\n${name}: ${FORGED}`]],
  [['X-Note', `note\r${name}: ${FORGED}`]],
])
