/**
 * A search through the real rules of a grant, without a store: every order of a few requests, pauses and clocks. Requests
 * come one after another; the traces of the model have those that overlap.
 */

import { type Request, requestsIn } from './search-requests.ts'
import { BrokenRule } from './search-rules.ts'
import type { World } from './search-world.ts'

export interface Found {
  /** Different worlds. */
  readonly worlds: number
  /** A shortest way to a broken rule, with the rule as its last line; absent if there is none. */
  readonly fault?: readonly string[]
}

interface Way {
  readonly request: string
  readonly from: Way | undefined
}

/** Breadth first, so the first fault has the fewest requests. @param depth the most requests in a row */
export function search(first: World, depth: number): Found {
  const known = new Set([keyOf(first)])
  let rim: [World, Way | undefined][] = [[first, undefined]]
  for (let done = 0; done < depth; done++) {
    const next: typeof rim = []
    for (const [world, from] of rim)
      for (const request of requestsIn(world)) {
        const way = { request: request.name, from }
        const after = outcomeOf(world, request)
        if (typeof after === 'string') return { worlds: known.size, fault: [...namesOf(way), after] }
        const key = keyOf(after)
        if (known.has(key)) continue
        known.add(key)
        next.push([after, way])
      }
    rim = next
  }
  return { worlds: known.size }
}

function outcomeOf(world: World, request: Request): World | string {
  try {
    return request.make(world)
  } catch (thrown) {
    if (thrown instanceof BrokenRule) return thrown.message
    throw thrown
  }
}

function namesOf(way: Way | undefined): string[] {
  return way === undefined ? [] : [...namesOf(way.from), way.request]
}

/** Two worlds with one key go on alike. Secrets follow from the generation, so the record has no other difference. */
function keyOf({ grant, now, tokens, revoked, endedBy, skew }: World): string {
  if (grant === undefined) return `${endedBy} ${endedBy === '' ? now : ''}`
  const { code, refresh, accessTokens } = grant
  const { generation, previous, shared, recent = [] } = refresh ?? {}
  const access = accessTokens.map(({ hash, expiresAt, parent }) => `${hash}${expiresAt}${parent}`)
  const spent = tokens.map(({ spentAt, isShared }) => `${spentAt}${isShared}`)
  const rotations = recent.map((entry) => `${entry.generation}@${entry.rotatedAt}`)
  const state = [
    generation,
    refresh?.expiresAt,
    previous?.rotatedAt,
    previous?.ofShared,
    shared,
    ...rotations,
  ]
  return [now, skew, code?.redeemedAt, state, access, spent, revoked].join(' ')
}
