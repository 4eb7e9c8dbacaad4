import { broughtBy, type Family, kindOf } from './family.ts'
import type { Operation } from './operation.ts'

const WORDS = { code: 'code C', refresh: 'refresh token R', access: 'access token A' } as const
const VERBS = {
  approve: 'approves',
  deny: 'denies',
  redeem: 'redeems',
  poll: 'polls',
  refresh: 'refreshes',
  exchange: 'exchanges',
  use: 'uses',
  introspect: 'introspects',
  revoke: 'revokes',
  logout: 'logs out',
} as const

/** Names for the credentials of a family, in the order in which they appear: `code C1`, `refresh token R2`. */
export function namesOf(family: Family): (key: string) => string {
  const names = new Map<string, string>()
  const counts = { code: 0, refresh: 0, access: 0 }
  for (const operation of family.operations)
    for (const key of credentialsOf(operation)) {
      if (names.has(key)) continue
      const kind = kindOf(family, key)
      counts[kind] += 1
      names.set(key, `${WORDS[kind]}${counts[kind]}`)
    }
  return (key) => names.get(key) ?? 'a credential'
}

function credentialsOf(operation: Operation): string[] {
  const brought = broughtBy(operation).map(([, key]) => key)
  return operation.key === undefined ? brought : [operation.key, ...brought]
}

/** What a request asks for: `refreshes R1`. */
export function requestText({ f, key, forbidden }: Operation, nameOf: (key: string) => string): string {
  const subject = key === undefined ? '' : ` ${shortName(nameOf(key))}`
  return `${VERBS[f]}${subject}${forbidden === undefined ? '' : ` (${plain(forbidden)})`}`
}

/** What the answer was: `200: access token A1, refresh token R1`. */
export function answerText(operation: Operation, nameOf: (key: string) => string): string {
  const { status, error, active, result, f, forgotten } = operation
  const brought = broughtBy(operation).flatMap(([, key]) =>
    key === operation.key && f === 'approve' ? [] : nameOf(key),
  )
  const code = error === undefined ? [] : [plain(error)]
  const state = active === undefined ? [] : [active ? 'active' : 'inactive']
  const details = [...code, ...state, ...brought].join(', ')
  const first = status ?? (result === 'info' ? 'no answer' : result)
  const hidden = forgotten && result !== 'info' ? ' (the app did not see it)' : ''
  return `${first}${details === '' ? '' : `: ${details}`}${hidden}`
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1)
}

const MAX_PLAIN = 60

/** Text from a server or a file. It forges no line of a terminal. */
export function plain(text: string): string {
  const shown = text.replace(/[^\x20-\x7e]/gu, '?')
  return shown.length > MAX_PLAIN ? `${shown.slice(0, MAX_PLAIN)}...` : shown
}
