import { CODE_ERRORS } from '../../../packages/core/src/features/device/device-token-request.ts'
import { narrowToken } from '../../../packages/core/src/features/token-exchange/narrowing.ts'
import { redeemCode } from '../../../packages/core/src/grants/authorization-code.ts'
import { keptUntil } from '../../../packages/core/src/grants/change-grant.ts'
import { redeemDecoupledCode } from '../../../packages/core/src/grants/decoupled-code.ts'
import {
  type IssuedTokens,
  type Outcome,
  openGrant,
  withoutAccessToken,
} from '../../../packages/core/src/grants/grant.ts'
import { rotateRefreshToken } from '../../../packages/core/src/grants/refresh-token.ts'
import { OAuthError } from '../../../packages/core/src/kernel/oauth-error.ts'
import type { Grant } from '../../../packages/core/src/kernel/records.ts'
import { type GrantId, type Hash, type Secret, sha256 } from '../../../packages/core/src/kernel/secrets.ts'
import { allowAnswer, allowEnd, allowLife, allowRefusedCode, allowUse, requireGood } from './search-rules.ts'
import { ended, type Issued, issuedBy, type Use, type World } from './search-world.ts'
import {
  APPROVAL,
  CODE,
  DEVICE_CODE,
  FAMILY,
  LIFETIMES,
  MODEL,
  REQUEST,
  seconds,
  TERMS,
  VERIFIER,
} from './terms.ts'

export interface Request {
  readonly name: string
  /** @throws BrokenRule */
  make(world: World): World
}

const ID = 'grant' as GrantId

/** A grant whose code nobody has redeemed. */
export function openedWorld(isDevice: boolean): World {
  const code = isDevice ? (DEVICE_CODE.text as Secret) : CODE
  const grant = openGrant({ ...APPROVAL, id: ID, code }, seconds(0), LIFETIMES)
  return { grant, now: 0, tokens: [], revoked: [], endedBy: '', isDevice, skew: 0 }
}

const PAUSES = [1, 4, 12].map((by) => ({
  name: `${by} units later`,
  make: (world: World) => later(world, by),
}))
const FIRST = [redemption('the code', VERIFIER), redemption('the code with a wrong verifier', 'w'.repeat(43))]

/** Everything that may happen next. A token that was never issued is not presented. */
export function requestsIn({ grant, tokens }: World): Request[] {
  if (grant === undefined) return []
  const refreshes = tokens.flatMap((_, at) => CLOCKS.map((clock) => refresh(at, clock)))
  const access = grant.accessTokens.length === 0 ? [] : [REVOKE, EXCHANGE]
  return [...FIRST, ...refreshes, ...access, ...PAUSES]
}

/** The store drops what has expired. */
function later(world: World, by: number): World {
  const now = world.now + by
  const expired = world.grant !== undefined && seconds(now) >= keptUntil(world.grant)
  return expired ? ended({ ...world, now }, 'expiry') : { ...world, now }
}

function redemption(name: string, verifier: string): Request {
  const redeem = (grant: Grant, { isDevice, now, tokens }: World): Outcome<IssuedTokens> => {
    const time = seconds(now)
    const again = String(tokens.length)
    if (isDevice) {
      const request = { ...REQUEST, ...DEVICE_CODE, verifier, arrivedAt: time, salt: `salt ${again}` }
      return redeemDecoupledCode(grant, request, time, TERMS, CODE_ERRORS)
    }
    const fresh = {
      accessToken: `access ${again}` as Secret,
      family: FAMILY,
      refreshToken: `first ${again}` as Secret,
    }
    return redeemCode(grant, { ...REQUEST, code: CODE, verifier, fresh, arrivedAt: time }, time, TERMS)
  }
  return { name, make: (world) => carriedOut(world, undefined, (grant) => redeem(grant, world), world.now) }
}

/** When a request arrives and when its replica decides, against the time of the world. */
const CLOCKS = [
  { name: '', arrived: 0, decided: 0 },
  { name: ' at a replica whose clock is ahead', arrived: 1, decided: 1 },
  { name: ' at a replica that stalls', arrived: -1, decided: 0 },
]

function refresh(at: number, { name, arrived, decided }: (typeof CLOCKS)[number]): Request {
  return {
    name: `refresh token ${at}${name}`,
    make(world) {
      const presented = world.tokens[at] as Issued
      const arrivedAt = world.now + arrived
      const decidedAt = world.now + decided
      const salt = `${at} ${presented.spentAt === undefined ? 'first' : 'again'}`.padEnd(22, '.')
      const request = { ...REQUEST, token: presented.token, arrivedAt: seconds(arrivedAt), salt }
      const use = { at, presented, arrivedAt, decidedAt }
      const skewed = decided > world.skew ? { ...world, skew: decided } : world
      return carriedOut(
        skewed,
        use,
        (grant) => rotateRefreshToken(grant, request, seconds(decidedAt), TERMS),
        decidedAt,
      )
    },
  }
}

function carriedOut(
  world: World,
  use: Use | undefined,
  transition: (grant: Grant) => Outcome<IssuedTokens>,
  now: number,
): World {
  if (world.grant === undefined) return world
  const outcome = tried(world.grant, transition)
  if (outcome === 'refused') {
    if (use) allowLife(world, use)
    else allowRefusedCode(world)
    return world
  }
  if (outcome.kind === 'ended') {
    if (use) allowEnd(world, use)
    return ended(world, outcome.refusal.reason)
  }
  if (use) {
    allowLife(world, use)
    allowUse(world, use)
  }
  return withAnswer({ ...world, grant: outcome.grant }, use, outcome.result, now)
}

function withAnswer(world: World, use: Use | undefined, answer: IssuedTokens, now: number): World {
  allowAnswer(world, use, answer)
  const age = (use?.arrivedAt ?? 0) - (use?.presented.spentAt ?? 0)
  const isLate = answer.retried === 'late' || age >= MODEL.window + world.skew
  const isShared = isLate || (answer.retried !== undefined && use?.presented.isShared === true)
  if (answer.retried !== undefined) {
    const at = use === undefined ? 0 : use.at + 1
    const tokens = world.tokens.map((issued, place) =>
      place === at && isShared ? { ...issued, isShared } : issued,
    )
    return requireGood({ ...world, tokens })
  }
  const spent = world.tokens.map((issued, at) => (at === use?.at ? { ...issued, spentAt: now } : issued))
  return requireGood({ ...world, tokens: [...spent, issuedBy(answer)] })
}

/** A refusal is thrown, and changes nothing. */
function tried<Result>(grant: Grant, transition: (grant: Grant) => Result): Result | 'refused' {
  try {
    return transition(grant)
  } catch (thrown) {
    if (thrown instanceof OAuthError) return 'refused'
    throw thrown
  }
}

const REVOKE: Request = {
  name: 'revocation of the newest access token',
  make(world) {
    const newest = world.grant?.accessTokens.at(-1)?.hash
    if (newest === undefined || world.grant === undefined) return world
    const grant = withoutAccessToken(world.grant, newest)
    return requireGood({ ...world, grant, revoked: [...world.revoked, newest].sort() })
  },
}

const EXCHANGE: Request = {
  name: 'exchange of the oldest access token',
  make(world) {
    const [oldest] = world.grant?.accessTokens ?? []
    if (oldest === undefined || world.grant === undefined) return world
    const fresh = sha256(
      `${oldest.hash} ${world.now} ${world.grant.accessTokens.length} ${world.revoked.length}`,
    ) as Hash as unknown as Secret
    const exchange = {
      ...REQUEST,
      subjectToken: oldest.hash,
      boundResources: [],
      catalogue: {},
      lifetime: TERMS.accessToken,
      fresh,
    }
    const outcome = tried(world.grant, (grant) => narrowToken(grant, exchange, seconds(world.now)))
    return outcome === 'refused' ? world : requireGood({ ...world, grant: outcome.grant })
  },
}
