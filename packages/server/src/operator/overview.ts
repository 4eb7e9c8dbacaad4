import { performance } from 'node:perf_hooks'
import type { PrivateJwk } from '@grantkit/core'
import { signerAt } from '@grantkit/core/internal'
import { DAY_MINUTES, MINUTE_MS } from '../config/time-units.ts'
import type { Probes } from '../operations/health.ts'
import { type CountQuery, intervalOf, minuteOf, type StatisticsReader } from '../statistics/statistics.ts'

/** The state of the service. */
export interface ServiceState {
  readonly health: { readonly [part in keyof Probes]: Probed }
  /** In the order of the file. */
  readonly keys: readonly KeyState[]
}

/** The same with what happened lately, for a command and the admin API. The page has charts. */
export interface Overview extends ServiceState {
  /** How many events of each shown type the last 24 hours had. */
  readonly lastDay: Readonly<Record<string, number>>
  /** In the last 24 hours. */
  readonly knownClientsRefused: KnownClientRefusals
  /** The same for sign-ins with providers, the most frequent first. */
  readonly signInsRefused: readonly SignInRefusals[]
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
  /** In epoch seconds, as the key says it: one that another program made may lack it. */
  readonly madeAt?: number | undefined
}

export interface OverviewOptions {
  readonly probes: Probes
  readonly keys: () => readonly PrivateJwk[]
  readonly statistics: StatisticsReader
  /** Epoch seconds. */
  readonly now?: () => number
}

export const COUNTED = [
  'sign_in_succeeded',
  'sign_in_failed',
  'sign_in_refused',
  'consent_granted',
  'grant_revoked',
  'grant_ended',
  'client_registered',
  'refused',
] as const

export function overviewOf(options: OverviewOptions): () => Promise<Overview> {
  const { statistics, now = clock } = options
  const state = stateOf(options)
  return async () => {
    // The trail has few of the requests that are refused.
    const window = windowOf('24h', minuteOf(now() * 1000))
    const events = await totalsOf(statistics, 'event', window)
    const lastDay = Object.fromEntries(COUNTED.map((type) => [type, events.get(type) ?? 0]))
    const knownClientsRefused = await knownClientRefusals(statistics, window)
    const signInsRefused = await signInRefusals(statistics, window)
    return { ...(await state()), lastDay, knownClientsRefused, signInsRefused }
  }
}

export function stateOf({
  probes,
  keys,
  now = clock,
}: Omit<OverviewOptions, 'statistics'>): () => Promise<ServiceState> {
  return async () => {
    const [store, database] = await Promise.all([timed(probes.store), timed(probes.database)])
    return { health: { store, database }, keys: keysAt(keys(), now()) }
  }
}

export function keysAt(keys: readonly PrivateJwk[], now: number): KeyState[] {
  return keys.map((key) => {
    const { kid, alg, signsFrom, iat: madeAt } = key
    if (signerAt(keys, alg, now) === key) return { kid, alg, signsFrom, madeAt, role: 'signs' }
    return { kid, alg, signsFrom, madeAt, role: (signsFrom ?? 0) > now ? 'next' : 'earlier' }
  })
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

/** How often each known client was refused because it is off: by its id, the most frequent first. */
export type KnownClientRefusals = Readonly<Record<string, number>>

export async function knownClientRefusals(
  statistics: StatisticsReader,
  window: ChartWindow,
): Promise<KnownClientRefusals> {
  return Object.fromEntries(await rankedOf(statistics, 'known_client_off', window))
}

/** How often sign-ins with a provider were refused for a reason. */
export interface SignInRefusals {
  /** The id of the provider. */
  readonly provider: string
  readonly reason: string
  readonly count: number
}

export async function signInRefusals(
  statistics: StatisticsReader,
  window: ChartWindow,
): Promise<readonly SignInRefusals[]> {
  const ranked = await rankedOf(statistics, 'sign_in_refused', window)
  return ranked.map(([label, count]) => {
    const [provider = '', reason = ''] = label.split(' ')
    return { provider, reason, count }
  })
}

async function rankedOf(...of: Parameters<typeof totalsOf>): Promise<[string, number][]> {
  return [...(await totalsOf(...of))].sort(([, one], [, other]) => other - one)
}

async function totalsOf(
  statistics: StatisticsReader,
  name: CountQuery['name'],
  { resolution, step, since }: ChartWindow,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>()
  for (const { label, count } of await statistics.read({ name, resolution, step, since }))
    totals.set(label, (totals.get(label) ?? 0) + count)
  return totals
}

/** The times that an operator can choose for a chart or a list. */
export interface TimeRange {
  readonly text: string
  readonly minutes: number
  /** The length of the intervals that its charts read and show, in minutes. */
  readonly resolution: number
  readonly step: number
}

export const RANGES = {
  '1h': { text: 'Last hour', minutes: 60, resolution: 1, step: 1 },
  '24h': { text: '24 hours', minutes: DAY_MINUTES, resolution: 10, step: 20 },
  '7d': { text: '7 days', minutes: 7 * DAY_MINUTES, resolution: 60, step: 120 },
  '30d': { text: '30 days', minutes: 30 * DAY_MINUTES, resolution: 60, step: DAY_MINUTES },
} as const satisfies Record<string, TimeRange>
export type RangeName = keyof typeof RANGES
export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[]

/** @returns `undefined` for a range that does not exist */
export function rangeNamed(name: string | undefined): RangeName | undefined {
  return RANGE_NAMES.find((known) => known === name)
}

/** When the range begins, as the trail writes times; `undefined` without a range. */
export function sinceOf(name: RangeName | undefined): string | undefined {
  return name && new Date(Date.now() - RANGES[name].minutes * MINUTE_MS).toISOString()
}

/** The intervals of a chart. All times are minutes since the epoch. */
export interface ChartWindow extends TimeRange {
  readonly since: number
  /** Not included: the end of the current interval. */
  readonly until: number
}

/** The window that ends with the interval of this minute. */
export function windowOf(name: RangeName, minute: number): ChartWindow {
  const range = RANGES[name]
  const until = intervalOf(minute, { minutes: range.step }) + range.step
  return { ...range, since: until - range.minutes, until }
}
