/** The states of a grant as a diagram and a table. It tries every event on a grant in each state. */
import { OAuthError } from '@grantkit/core'
import type { Client, Grant, GrantId, Secret } from '@grantkit/core/feature'
import { redeemCode } from '../packages/core/src/grants/authorization-code.ts'
import { keptUntil } from '../packages/core/src/grants/change-grant.ts'
import { type Outcome, openGrant, withoutAccessToken } from '../packages/core/src/grants/grant.ts'
import { MAX_RETRY } from '../packages/core/src/grants/grant-terms.ts'
import { rotateRefreshToken } from '../packages/core/src/grants/refresh-token.ts'
import { belongsToFamily, type RefreshTokenSecret } from '../packages/core/src/grants/refresh-token-state.ts'
import { sha256, successorKeys } from '../packages/core/src/kernel/secrets.ts'

const NOW = 1_000_000
const TIMES = {
  code: 60,
  grant: 3000,
  accessToken: 300,
  refreshToken: 1000,
  refreshRetryWindow: 60,
  maxAccessTokens: 8,
}
const VERIFIER = 'v'.repeat(43)
const REDIRECT_URI = 'http://127.0.0.1/callback'
const CODE = 'code' as Secret
const KEYS = successorKeys('a secret of the diagram, long enough to pass')
const FRESH = { accessToken: 'access' as Secret, family: 'family', refreshToken: 'refresh' as Secret }
const FIRST: RefreshTokenSecret = { family: 'family', generation: 0, secret: FRESH.refreshToken }
const OWNER: Client = {
  clientId: 'owner',
  origin: 'registered',
  applicationType: 'native',
  redirectUris: [REDIRECT_URI],
  tokenEndpointAuthMethod: 'none',
  grantTypes: ['authorization_code', 'refresh_token'],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: 1,
}

type Next =
  | Outcome<unknown>
  | { readonly kind: 'removed' }
  | { readonly kind: 'error'; readonly reason: string }
type State = 'open' | 'live' | 'rotated' | 'shared'
type Event = (grant: Grant) => Next

const redeem =
  (clientId: string, verifier: string, redirectUri: string, now: number): Event =>
  (grant) => {
    const client = { ...OWNER, clientId }
    const request = {
      code: CODE,
      client,
      redirectUri,
      verifier,
      resources: [],
      knownResources: [],
      arrivedAt: now,
      fresh: FRESH,
    }
    return redeemCode(grant, request, now, TIMES)
  }

const refresh =
  (token: RefreshTokenSecret, clientId: string, now: number): Event =>
  (grant) =>
    rotateRefreshToken(
      grant,
      {
        token,
        arrivedAt: now,
        keys: KEYS,
        client: { ...OWNER, clientId },
        scope: undefined,
        resources: [],
        knownResources: [],
        salt: 'salt',
      },
      now,
      TIMES,
    )

/** The revocation endpoint on a token of the family; the store on an expired record. */
const revokeFamily: Event = (grant) =>
  belongsToFamily(grant, FIRST) ? { kind: 'removed' } : { kind: 'unchanged', grant, result: undefined }
const expire: Event = (grant) =>
  NOW + TIMES.grant >= keptUntil(grant)
    ? { kind: 'removed' }
    : { kind: 'unchanged', grant, result: undefined }
const revokeAccess: Event = (grant) => {
  const next = withoutAccessToken(grant, sha256(FRESH.accessToken))
  const kind = next.accessTokens.length < grant.accessTokens.length ? 'changed' : 'unchanged'
  return { kind, grant: next, result: undefined }
}

const EVENTS: Readonly<Record<string, Event>> = {
  'code with its verifier': redeem('owner', VERIFIER, REDIRECT_URI, NOW + 1),
  'code with a wrong verifier': redeem('owner', 'w'.repeat(43), REDIRECT_URI, NOW + 1),
  'code with another redirect URI': redeem('owner', VERIFIER, 'http://127.0.0.1/other', NOW + 1),
  'code from another client': redeem('thief', VERIFIER, REDIRECT_URI, NOW + 1),
  'first refresh token': refresh(FIRST, 'owner', NOW + 2),
  'first refresh token after the retry window': refresh(FIRST, 'owner', NOW + 2 + TIMES.refreshRetryWindow),
  'first refresh token after fifteen minutes': refresh(FIRST, 'owner', NOW + 2 + MAX_RETRY),
  'refresh token from another client': refresh(FIRST, 'thief', NOW + 2),
  'revocation of an access token': revokeAccess,
  'revocation of a refresh token': revokeFamily,
  expiry: expire,
}

/** One grant in each state, each made from the previous one by the rules. */
function states(): Record<State, Grant> {
  const approval = {
    id: 'grant' as GrantId,
    subject: 'alice',
    clientId: 'owner',
    scopes: ['a'],
    withheldScopes: [],
    resources: [],
    authTime: 0,
  }
  const secrets = { redirectUri: REDIRECT_URI, challenge: sha256(VERIFIER), code: CODE }
  const open = openGrant({ ...approval, ...secrets }, NOW, TIMES)
  const live = changed(redeem('owner', VERIFIER, REDIRECT_URI, NOW + 1)(open))
  const rotated = changed(refresh(FIRST, 'owner', NOW + 2)(live))
  const late = NOW + 2 + TIMES.refreshRetryWindow
  return { open, live, rotated, shared: changed(refresh(FIRST, 'owner', late)(rotated)) }
}

function changed(next: Next): Grant {
  if (next.kind !== 'changed') throw new Error(`expected a change, not ${next.kind}`)
  return next.grant
}

/** `live` after the code is redeemed, `rotated` after a rotation, `shared` after a late repeat of that. */
function stateOf({ code, refresh: state }: Grant): State {
  if (code?.redeemedAt === undefined) return 'open'
  if (state?.shared) return 'shared'
  return state?.previous === undefined ? 'live' : 'rotated'
}

function stateAfter(next: Next): State | 'ended' | undefined {
  if (next.kind === 'ended' || next.kind === 'removed') return 'ended'
  return next.kind === 'changed' ? stateOf(next.grant) : undefined
}

interface Transition {
  readonly from: State
  readonly event: string
  readonly next: Next
}

function transitions(): Transition[] {
  return Object.entries(states()).flatMap(([from, grant]) =>
    Object.entries(EVENTS).map(([event, happen]) => ({
      from: from as State,
      event,
      next: tried(() => happen(grant)),
    })),
  )
}

/** A transition that consumes nothing throws its error. */
function tried(happen: () => Next): Next {
  try {
    return happen()
  } catch (thrown) {
    if (thrown instanceof OAuthError) return { kind: 'error', reason: thrown.reason }
    throw thrown
  }
}

function diagram(found: readonly Transition[]): string[] {
  const labels = new Map<string, Set<string>>()
  for (const { from, event, next } of found) {
    const to = stateAfter(next)
    if (to === undefined) continue
    const arrow = `${from} --> ${to === 'ended' ? '[*]' : to}`
    labels.set(
      arrow,
      (labels.get(arrow) ?? new Set()).add(next.kind === 'ended' ? next.refusal.reason : event),
    )
  }
  const arrows = [...labels].map(([arrow, all]) => `  ${arrow} : ${[...all].join('<br>')}`)
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> open : approval', ...arrows, '```']
}

function table(found: readonly Transition[]): string[] {
  const cell = (event: string, state: string) => {
    const one = found.find(({ from, event: other }) => from === state && other === event)
    return one ? verdict(one) : ''
  }
  const names = Object.keys(states())
  const rows = Object.keys(EVENTS).map((event) => [event, ...names.map((name) => cell(event, name))])
  return [['', ...names], names.concat('').map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
}

function verdict({ from, next }: Transition): string {
  if (next.kind === 'error') return `error: \`${next.reason}\``
  if (next.kind === 'ended') return `**ended**: \`${next.refusal.reason}\``
  if (next.kind === 'removed') return '**ended**'
  if (next.kind === 'unchanged')
    return from === 'rotated' || from === 'shared' ? 'the same tokens again, or no change' : 'no change'
  return stateOf(next.grant) === from ? `${from}, changed` : stateOf(next.grant)
}

/** The diagram and the table of concepts/tokens-and-grants.md. */
export function grantStates(): string {
  const found = transitions()
  return [...diagram(found), '', ...table(found)].join('\n')
}
