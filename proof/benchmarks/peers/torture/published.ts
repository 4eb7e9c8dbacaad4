import { CHECK_IDS, type CheckId, type Finding, type Verdict } from '../../../torture/src/index.ts'
import { table } from '../edge/table.ts'
import { isGrantkit, type Row } from './rows.ts'

/** A row with what the kit found: nothing where there is nothing to race. */
export interface Result {
  readonly row: Row
  readonly findings?: readonly Finding[]
}

const WORKERS = 'https://github.com/cloudflare/workers-oauth-provider'
const OIDC = 'https://github.com/panva/node-oidc-provider/blob/v9.13.3'
const STRICT_OIDC = { 'lost-answer': `${OIDC}/lib/actions/grants/refresh_token.js` }
const ADAPTER_OIDC = `${OIDC}/example/my_adapter.js`
const ALL_GRANTS_END = 'https://github.com/better-auth/better-auth/issues/8512'

/** Public sources of what a peer does in a check, by the name of its row. */
const SOURCES: Readonly<Partial<Record<string, Partial<Record<CheckId, string>>>>> = {
  'oidc-provider': { ...STRICT_OIDC, 'code-twice': ADAPTER_OIDC, 'refresh-twice': ADAPTER_OIDC },
  'oidc-provider-safest': STRICT_OIDC,
  'node-oauth': { 'lost-answer': 'https://github.com/node-oauth/node-oauth2-server/issues/80' },
  workers: {
    'code-twice': `${WORKERS}/pull/312`,
    'refresh-twice': `${WORKERS}/issues/214`,
    'same-second': `${WORKERS}/issues/214`,
    'replay-contained': `${WORKERS}/issues/214`,
    'lost-answer': `${WORKERS}/issues/214`,
  },
  'better-auth': { 'lost-answer': ALL_GRANTS_END, neighbours: ALL_GRANTS_END },
}

const NOT_PUBLISHED = 'not published'
/** Neither says anything against a server. */
const HARMLESS: readonly Verdict[] = ['passed', 'skipped']

/** Everything, for whoever runs it. */
export function ownTable(results: readonly Result[]): string {
  return tableOf(results, ({ row, findings }, check) => verdictOf({ row, findings }, check) ?? '–')
}

/** All of Grantkit. */
export function grantkitTable(results: readonly Result[]): string {
  return ownTable(results.filter(({ row }) => isGrantkit(row)))
}

/**
 * What may be published of the peers. What is unsafe and has no public source goes to the maintainers first, and not into a
 * table. An empty cell among others would name the server, so such a check has only the cells with a public source.
 */
export function peersTable(results: readonly Result[]): string {
  const peers = results.filter(({ row }) => !isGrantkit(row))
  const withheld = new Set(CHECK_IDS.filter((check) => peers.some((peer) => isUnpublished(peer, check))))
  return tableOf(peers, (peer, check) => {
    const verdict = verdictOf(peer, check)
    if (verdict === undefined) return '–'
    const source = SOURCES[peer.row.name]?.[check]
    if (source !== undefined && !HARMLESS.includes(verdict)) return `[${verdict}](${source})`
    return withheld.has(check) ? NOT_PUBLISHED : verdict
  })
}

function isUnpublished(result: Result, check: CheckId): boolean {
  const verdict = verdictOf(result, check)
  if (verdict === undefined || HARMLESS.includes(verdict)) return false
  return SOURCES[result.row.name]?.[check] === undefined
}

/** Absent: the server has no such thing, or nothing to race. */
function verdictOf({ findings }: Result, check: CheckId): Verdict | undefined {
  const verdict = findings?.find(({ id }) => id === check)?.verdict
  return verdict === 'skipped' ? undefined : verdict
}

function tableOf(results: readonly Result[], cell: (result: Result, check: CheckId) => string): string {
  const raced = CHECK_IDS.filter((check) => results.some((result) => verdictOf(result, check) !== undefined))
  const head = ['Check', ...results.map(({ row }) => `\`${row.name}\``)]
  return table(
    head,
    raced.map((check) => [`\`${check}\``, ...results.map((result) => cell(result, check))]),
  )
}
