import { performance } from 'node:perf_hooks'
import type { PrivateJwk } from '@grantkit/core'
import { signerAt } from '@grantkit/core/feature'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { Probes } from '../operations/health.ts'

/** The state of the service, for a page and a command. */
export interface Overview {
  readonly health: { readonly [part in keyof Probes]: Probed }
  /** In the order of the file. */
  readonly keys: readonly KeyState[]
  /** The number of trail entries by type in the last 24 hours; `MAX_COUNTED` means that many or more. */
  readonly lastDay: Readonly<Record<(typeof COUNTED)[number], number>>
}

export interface Probed {
  readonly answers: boolean
  /** Milliseconds that it took. */
  readonly milliseconds: number
}

export interface KeyState {
  readonly kid: string
  readonly alg: PrivateJwk['alg']
  /** `next`: published, and signs later. `earlier`: published until every token that it signed has expired. */
  readonly role: 'signs' | 'next' | 'earlier'
  /** Epoch seconds; absent for a key that has been signing from the start. */
  readonly signsFrom?: number | undefined
  /** When `pnpm keys rotate` made it, in epoch seconds; absent if the trail has no entry of it. */
  readonly madeAt?: number | undefined
}

export interface OverviewOptions {
  readonly probes: Probes
  readonly keys: () => readonly PrivateJwk[]
  readonly trail: TrailReader
  /** Epoch seconds. */
  readonly now?: () => number
}

export const COUNTED = [
  'sign_in_succeeded',
  'sign_in_failed',
  'consent_granted',
  'grant_revoked',
  'grant_ended',
  'client_registered',
  'refused',
] as const
export const MAX_COUNTED = 1000
const DAY_MS = 24 * 60 * 60 * 1000

export function overviewOf({ probes, keys, trail, now = clock }: OverviewOptions): () => Promise<Overview> {
  return async () => {
    const [store, database] = await Promise.all([timed(probes.store), timed(probes.database)])
    const rotations = await trail.page({ types: ['signing_keys_rotated'] }, MAX_ROTATIONS)
    const madeAt = new Map(
      rotations.entries.flatMap(({ at, added }) => idsOf(added).map((kid) => [kid, Date.parse(at) / 1000])),
    )
    const since = new Date(now() * 1000 - DAY_MS).toISOString()
    const counts = COUNTED.map(async (type) => [type, await trail.count(type, since, MAX_COUNTED)])
    return {
      health: { store, database },
      keys: keysAt(keys(), now()).map((key) => ({ ...key, madeAt: madeAt.get(key.kid) })),
      lastDay: Object.fromEntries(await Promise.all(counts)),
    }
  }
}

/** Keys of older rotations are no longer in the file. */
const MAX_ROTATIONS = 100

export function keysAt(keys: readonly PrivateJwk[], now: number): KeyState[] {
  return keys.map((key) => {
    const { kid, alg, signsFrom } = key
    if (signerAt(keys, alg, now) === key) return { kid, alg, signsFrom, role: 'signs' }
    return { kid, alg, signsFrom, role: (signsFrom ?? 0) > now ? 'next' : 'earlier' }
  })
}

function idsOf(added: unknown): string[] {
  return Array.isArray(added) ? added : []
}

async function timed(probe: () => Promise<unknown>): Promise<Probed> {
  const start = performance.now()
  const answers = await probe().then(
    () => true,
    () => false,
  )
  return { answers, milliseconds: performance.now() - start }
}

function clock(): number {
  return Math.floor(Date.now() / 1000)
}
