import type { PrivateJwk } from '@grantkit/core'
import { newSigningKeys } from '@grantkit/core'
import { rowOf } from '../src/audit/trail.ts'
import type { Database } from '../src/database/database.ts'
import type { StatisticRow } from '../src/database/tables.ts'
import {
  addCounts,
  bucketOf,
  intervalOf,
  merged,
  minuteOf,
  RESOLUTIONS,
} from '../src/statistics/statistics.ts'

/** Fills the database of a service with what happens in a month, so that its admin pages have something to show. */

const MONTH = 30 * 24 * 60

/** How often something happens in a minute of a busy hour, by its label. */
const EVENTS = {
  sign_in_succeeded: 2.4,
  sign_in_failed: 0.3,
  consent_granted: 0.9,
  device_approved: 0.1,
  consent_denied: 0.06,
  refresh_token_rotated: 14,
  refresh_token_retried: 0.5,
}
const REASONS = {
  code_expired: 0.12,
  refresh_token_unknown: 0.3,
  bearer_unknown: 0.5,
  scope_unknown: 0.05,
  redirect_uri_not_registered: 0.04,
  client_not_identified: 0.03,
  assertion_expired: 0.02,
}
/** Responses in a minute, and their usual seconds. */
const RESPONSES = {
  'POST /api/oauth/token': [18, 0.006],
  'GET /api/courses': [30, 0.0015],
  'GET /oauth/authorize': [3, 0.004],
  'POST /login': [2.6, 0.11],
  'GET /api/oauth/userinfo': [6, 0.002],
  'GET /account': [0.6, 0.012],
} as const

/** Numbers between 0 and 1 that are the same in each run. */
function numbers(): () => number {
  let state = 7
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

export async function addStatistics(database: Database, now: number): Promise<void> {
  const next = numbers()
  const rows: StatisticRow[] = []
  const last = minuteOf(now)
  const add = (minute: number, counted: Pick<StatisticRow, 'name' | 'label' | 'bucket' | 'count'>) => {
    for (const resolution of RESOLUTIONS) {
      if (counted.count === 0 || minute < last - resolution.kept) continue
      rows.push({ ...counted, resolution: resolution.minutes, start: intervalOf(minute, resolution) })
    }
  }
  for (let minute = last - MONTH; minute <= last; minute += minute < last - 180 ? 10 : 1) {
    const length = minute < last - 180 ? 10 : 1
    const times = (rate: number) =>
      Math.floor(rate * length * busyness(minute) * (0.6 + 0.8 * next()) + next())
    for (const [label, rate] of Object.entries(EVENTS))
      add(minute, { name: 'event', label, bucket: 0, count: times(rate) })
    for (const [label, rate] of Object.entries(REASONS))
      add(minute, { name: 'reason', label, bucket: 0, count: times(rate) })
    for (const [label, [rate, seconds]] of Object.entries(RESPONSES)) {
      const slow = 1 + 2 * next() * busyness(minute)
      add(minute, { name: 'response', label, bucket: bucketOf(seconds * slow), count: times(rate * 0.9) })
      add(minute, { name: 'response', label, bucket: bucketOf(seconds * 3 * slow), count: times(rate * 0.1) })
    }
  }
  const sorted = merged(rows)
  for (let at = 0; at < sorted.length; at += 500) await addCounts(database, sorted.slice(at, at + 500))
}

/** Quiet at night and at the end of a week. @param minute since the epoch */
function busyness(minute: number): number {
  const hour = (minute / 60) % 24
  const day = Math.floor(minute / 60 / 24 + 4) % 7
  const daily = Math.max(0.08, Math.sin(((hour - 5) / 16) * Math.PI))
  return daily * (day === 0 || day === 6 ? 0.45 : 1)
}

export interface KnownIds {
  readonly users: readonly string[]
  readonly clients: readonly string[]
}

export async function addTrail(database: Database, { users, clients }: KnownIds, now: number): Promise<void> {
  const next = numbers()
  const one = (ids: readonly string[]) => ids[Math.floor(next() * ids.length)]
  const network = () => `203.0.${Math.floor(next() * 4)}.0/24`
  const kinds = [
    () => ({
      type: 'sign_in_succeeded',
      subject: one(users),
      sessionId: 'a3f0c7d2-5b1e-4f7a-9c53-0f6b2f6c9b11',
    }),
    () => ({
      type: 'sign_in_succeeded',
      subject: one(users),
      sessionId: '0c1d7e52-8a55-4c0e-8b33-63a0f0b5a7d4',
    }),
    () => ({
      type: 'consent_granted',
      subject: one(users),
      clientId: one(clients),
      scopes: ['openid', 'courses:read'],
    }),
    () => ({ type: 'sign_in_failed', subject: one(users), reason: 'wrong_password' }),
    () => ({
      type: 'refused',
      clientId: one(clients),
      error: 'invalid_grant',
      reason: 'code_expired',
      path: '/api/oauth/token',
      count: 3,
    }),
    () => ({ type: 'client_registered', clientId: one(clients) }),
    () => ({ type: 'passkey_added', subject: one(users) }),
    () => ({
      type: 'grant_ended',
      subject: one(users),
      clientId: one(clients),
      reason: 'refresh_token_reused',
    }),
  ]
  const rows = Array.from({ length: 150 }, (_, index) => {
    const happened = kinds[Math.floor(next() * kinds.length)]?.() ?? { type: 'left_out' }
    const at = new Date(now - (index + next()) * 9 * 60_000)
    return rowOf({ ...happened, network: network() }, at, String(index).padStart(12, '0'), 30)
  })
  await database.insertInto('audit').values(rows).execute()
}

/** Two keys of each algorithm, and one of an earlier release. */
export async function agedKeys(now: number): Promise<PrivateJwk[]> {
  const daysAgo = (days: number) => Math.floor(now / 1000 - days * 24 * 60 * 60)
  const [current, earlier] = [await newSigningKeys(), await newSigningKeys(['RS256', 'ES256'])]
  return [
    ...current.map((key) => ({ ...key, iat: daysAgo(31), signsFrom: daysAgo(31) + 1200 })),
    ...earlier.map((key) => ({ ...key, iat: daysAgo(122) })),
  ]
}
