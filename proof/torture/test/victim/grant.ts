import { createHash, randomUUID } from 'node:crypto'
import { type Fault, type Variant, WINDOW_MS } from './faults.ts'

interface Pair {
  readonly access: string
  readonly refresh: string
}

/** What a user allowed a client: one record, so that one compare-and-swap decides every race. */
export interface Grant {
  readonly id: string
  readonly client: string
  readonly scope: string
  readonly state: 'pending' | 'approved' | 'live' | 'ended'
  /** The code or the device code. */
  readonly secret: string
  readonly userCode?: string | undefined
  readonly challenge?: string | undefined
  /** When it ends, in milliseconds. */
  readonly secretExpires: number
  readonly live: readonly string[]
  readonly spent: readonly { readonly token: string; readonly at: number; readonly pair: Pair }[]
  readonly access: readonly {
    readonly token: string
    readonly expires: number
    readonly exchanged?: boolean
  }[]
}

/** What a request leaves and gets. Without `pair` it is refused. */
export interface Outcome {
  readonly grant?: Grant
  readonly pair?: Pair
  readonly error?: string
  /** A spent credential was presented. */
  readonly replay?: boolean
}

export interface Rules {
  readonly variant: Variant
  readonly accessMs: number
  readonly codeMs: number
  readonly broken: (fault: Fault) => boolean
}

export const secretOf = (grantId: string, kind: string) => `${kind}.${grantId}.${randomUUID()}`
const refused: Outcome = { error: 'invalid_grant' }
const second = (ms: number) => Math.floor(ms / 1000)

export function redeem(grant: Grant, verifier: string | undefined, now: number, rules: Rules): Outcome {
  const loser = grant.state === 'live'
  const proved = grant.challenge === undefined || challengeOf(verifier) === grant.challenge
  if (rules.broken(19) && loser) return { pair: grant.spent[0]?.pair ?? { access: '', refresh: '' } }
  if (!proved) return refused
  if (grant.state === 'approved')
    return now < grant.secretExpires ? mint(grant, grant.secret, now, rules) : refused
  return loser ? spent(grant, grant.secret, now, rules) : refused
}

export function poll(grant: Grant, now: number, rules: Rules): Outcome {
  if (grant.state === 'pending') return { error: 'authorization_pending' }
  return grant.state === 'approved' ? mint(grant, grant.secret, now, rules) : refused
}

export function refresh(
  grant: Grant,
  token: string,
  scope: string | undefined,
  now: number,
  rules: Rules,
): Outcome {
  if (grant.state !== 'live') return refused
  const more = scope?.split(' ').some((each) => !grant.scope.split(' ').includes(each))
  if (more) return { error: 'invalid_scope' }
  const rotation = grant.spent.findLast((each) => each.token === token)
  if (grant.live.includes(token)) return mint(grant, token, now, rules)
  if (rules.broken(4) && rotation && second(rotation.at) === second(now))
    return mint(grant, token, now, rules)
  if (rules.broken(9) && grant.spent.at(-1)?.token === token) return mint(grant, token, now, rules)
  return rotation ? spent(grant, token, now, rules) : refused
}

/** A spent code or refresh token: a retry within the window, or a replay. */
function spent(grant: Grant, token: string, now: number, rules: Rules): Outcome {
  const rotation = grant.spent.findLast((each) => each.token === token)
  const within = rotation !== undefined && now - rotation.at < (rules.broken(10) ? 0 : WINDOW_MS)
  const isLast = rotation !== undefined && grant.live.includes(rotation.pair.refresh)
  if (rules.variant === 'same-pair' && within && isLast && token !== grant.secret)
    return { pair: rotation.pair }
  if (rules.variant === 'overlap' && within && token !== grant.secret) return mint(grant, token, now, rules)
  if (rules.broken(3)) return refused
  return { ...refused, grant: end(grant), replay: true }
}

function mint(grant: Grant, token: string, now: number, rules: Rules): Outcome {
  const kept = rules.variant === 'none' && token !== grant.secret
  const pair = { access: secretOf(grant.id, 'at'), refresh: kept ? token : secretOf(grant.id, 'rt') }
  const live = kept ? grant.live : [...grant.live.filter((each) => each !== token), pair.refresh]
  const access = [...grant.access, { token: pair.access, expires: now + rules.accessMs }]
  const rotations = kept ? grant.spent : [...grant.spent, { token, at: now, pair }]
  return { pair, grant: { ...grant, state: 'live', live, access, spent: rotations } }
}

/** An access token for another audience, of the same grant. */
export function exchange(grant: Grant, token: string, now: number, rules: Rules): Outcome {
  if (!isActive(grant, token, now, rules)) return refused
  const pair = { access: secretOf(grant.id, 'at'), refresh: '' }
  const exchanged = { token: pair.access, expires: now + rules.accessMs, exchanged: true }
  return { pair, grant: { ...grant, access: [...grant.access, exchanged] } }
}

export function isActive(grant: Grant, token: string, now: number, rules: Rules): boolean {
  const found = grant.access.find((each) => each.token === token)
  const lives = grant.state === 'live' || (rules.broken(18) && found?.exchanged === true)
  return lives && found !== undefined && now < found.expires
}

export function approve(grant: Grant): Grant {
  return grant.state === 'pending' ? { ...grant, state: 'approved' } : grant
}

export function end(grant: Grant): Grant {
  return { ...grant, state: 'ended' }
}

/** As after a restart that forgot what was spent. */
export function unspent(grant: Grant): Grant {
  return { ...grant, live: [...grant.live, ...grant.spent.map(({ token }) => token)] }
}

export function logOut(grant: Grant, rules: Rules): Grant {
  return { ...grant, access: [], state: rules.broken(16) ? grant.state : 'ended' }
}

export function deny(grant: Grant, rules: Rules): Grant {
  return rules.broken(17) && grant.state === 'approved' ? grant : end(grant)
}

function challengeOf(verifier = ''): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
