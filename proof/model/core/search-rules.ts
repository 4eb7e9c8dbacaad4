/** The invariants of proof/model/grant.qnt, for a world of the search. */
import type { IssuedTokens } from '../../../packages/core/src/grants/grant.ts'
import type { Grant } from '../../../packages/core/src/kernel/records.ts'
import type { Use, World } from './search-world.ts'
import { MODEL, seconds, units } from './terms.ts'

/** A rule of the model that core broke. */
export class BrokenRule extends Error {}

function mustHold(rule: string, holds: boolean): void {
  if (!holds) throw new BrokenRule(rule)
}

/** What a replica may end a grant for. @throws BrokenRule */
export function allowEnd({ skew }: World, { presented, arrivedAt }: Use): void {
  const { spentAt } = presented
  mustHold('lostAnswerEndsNothing', spentAt !== undefined)
  mustHold('windowForgives', arrivedAt - Number(spentAt) >= MODEL.window - skew)
}

/** What it must end it for. @throws BrokenRule */
export function allowLife(
  { grant, skew, tokens }: World,
  { at, presented, arrivedAt, decidedAt }: Use,
): void {
  const { spentAt } = presented
  const { previous, expiresAt = 0 } = grant?.refresh ?? {}
  const isStale = previous !== undefined && arrivedAt < units(previous.rotatedAt)
  if (spentAt === undefined || isStale || seconds(decidedAt) >= expiresAt) return
  const age = arrivedAt - spentAt
  const isOlder = at + 1 < tokens.length - 1
  mustHold('reuseEnds', age < MODEL.late && !(isOlder && age >= MODEL.window + skew))
}

/** An answer to a refresh token that has not expired. @throws BrokenRule */
export function allowUse({ grant }: World, { decidedAt }: Use): void {
  mustHold('idleEnds', seconds(decidedAt) < Number(grant?.refresh?.expiresAt))
}

/** Who redeems a spent code ends the grant. A device code may be repeated instead. @throws BrokenRule */
export function allowRefusedCode({ isDevice, tokens }: World): void {
  mustHold('replayEnds', isDevice || tokens.length === 0)
}

/** @param use absent for a redemption @throws BrokenRule */
export function allowAnswer({ tokens, now }: World, use: Use | undefined, answer: IssuedTokens): void {
  const { retried, accessToken, refreshToken } = answer
  if (retried === undefined) {
    if (use === undefined) mustHold('oneRedemption', tokens.length === 0 && now < MODEL.code)
    else mustHold('oneChild', use.presented.spentAt === undefined)
    return
  }
  const first = tokens[use === undefined ? 0 : use.at + 1]
  mustHold('oneChild', first?.accessToken === accessToken && first.token.secret === refreshToken?.secret)
  mustHold('lateOnlyOnce', retried !== 'late' || use?.presented.isShared !== true)
}

/** @throws BrokenRule */
export function requireGood(world: World): World {
  const { grant, tokens, revoked } = world
  if (grant === undefined) return world
  const unspent = tokens.filter(({ spentAt }) => spentAt === undefined)
  mustHold('oneLeaf', unspent.length <= 1 && (grant.refresh?.generation ?? -1) === tokens.length - 1)
  const ends = [...grant.accessTokens, ...(grant.refresh ? [grant.refresh] : [])]
  mustHold(
    'nothingOutlivesGrant',
    ends.every(({ expiresAt }) => expiresAt <= grant.expiresAt),
  )
  mustHold(
    'exchangedWithinParent',
    grant.accessTokens.every((token) => isWithinParent(grant, token)),
  )
  mustHold('revokedStaysRevoked', !grant.accessTokens.some(({ hash }) => revoked.includes(hash)))
  return world
}

function isWithinParent(
  { accessTokens }: Grant,
  { parent, expiresAt }: Grant['accessTokens'][number],
): boolean {
  return (
    parent === undefined ||
    accessTokens.some(({ hash, ...of }) => hash === parent && expiresAt <= of.expiresAt)
  )
}
