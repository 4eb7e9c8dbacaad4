import { performance } from 'node:perf_hooks'
import type { PrivateJwk } from '@grantkit/core'
import { signerAt } from '@grantkit/core/internal'
import type { TrailReader } from '../audit/trail-reader.ts'
import type { Probes } from '../operations/health.ts'
import { minuteOf } from '../statistics/resolutions.ts'
import type { StatisticsReader } from '../statistics/statistics-reader.ts'
import { DAY_MS } from '../time-units.ts'
import { type KnownClientRefusals, knownClientRefusals } from './known-client-refusals.ts'
import { windowOf } from './time-range.ts'

/** The state of the service. */
export interface ServiceState {
  readonly health: { readonly [part in keyof Probes]: Probed }
  /** In the order of the file. */
  readonly keys: readonly KeyState[]
}

/** The same with what happened lately, for a command and the admin API. The page has charts. */
export interface Overview extends ServiceState {
  /** The number of trail entries by type in the last 24 hours; `MAX_COUNTED` means that many or more. */
  readonly lastDay: Readonly<Record<(typeof COUNTED)[number], number>>
  /** In the last 24 hours. */
  readonly knownClientsRefused: KnownClientRefusals
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
  /** When it was made, in epoch seconds. */
  readonly madeAt: number
  /** Whether it may be older: a key of an earlier release, and the trail has no entry of it. */
  readonly mayBeOlder: boolean
}

export interface OverviewOptions {
  readonly probes: Probes
  readonly keys: () => readonly PrivateJwk[]
  /** When the key file was written, in epoch seconds. */
  readonly keysWrittenAt: () => Promise<number>
  readonly trail: TrailReader
  readonly statistics: StatisticsReader
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

export function overviewOf(options: OverviewOptions): () => Promise<Overview> {
  const { trail, statistics, now = clock } = options
  const state = stateOf(options)
  return async () => {
    const since = new Date(now() * 1000 - DAY_MS).toISOString()
    const counts = COUNTED.map(async (type) => [type, await trail.count(type, since, MAX_COUNTED)])
    const lastDay = Object.fromEntries(await Promise.all(counts))
    const knownClientsRefused = await knownClientRefusals(statistics, windowOf('24h', minuteOf(now() * 1000)))
    return { ...(await state()), lastDay, knownClientsRefused }
  }
}

export function stateOf({
  probes,
  keys,
  keysWrittenAt,
  trail,
  now = clock,
}: Omit<OverviewOptions, 'statistics'>): () => Promise<ServiceState> {
  return async () => {
    const [store, database] = await Promise.all([timed(probes.store), timed(probes.database)])
    const rotations = await trail.page({ types: ['signing_keys_rotated'] }, MAX_ROTATIONS)
    const rotatedAt = new Map(
      rotations.entries.flatMap(({ at, added }) => idsOf(added).map((kid) => [kid, Date.parse(at) / 1000])),
    )
    const writtenAt = await keysWrittenAt()
    return {
      health: { store, database },
      keys: keysAt(keys(), now()).map(({ iat, ...key }) => {
        const madeAt = iat ?? rotatedAt.get(key.kid)
        return { ...key, madeAt: madeAt ?? writtenAt, mayBeOlder: madeAt === undefined }
      }),
    }
  }
}

/** Keys of older rotations are no longer in the file. */
const MAX_ROTATIONS = 100

type KeyRole = Omit<KeyState, 'madeAt' | 'mayBeOlder'> & Pick<PrivateJwk, 'iat'>

export function keysAt(keys: readonly PrivateJwk[], now: number): KeyRole[] {
  return keys.map((key) => {
    const { kid, alg, signsFrom, iat } = key
    if (signerAt(keys, alg, now) === key) return { kid, alg, signsFrom, iat, role: 'signs' }
    return { kid, alg, signsFrom, iat, role: (signsFrom ?? 0) > now ? 'next' : 'earlier' }
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
