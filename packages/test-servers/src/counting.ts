import { expect } from 'vitest'
import type { TcpProxy } from './tcp-proxy.ts'

/** Many count together in the same grants. No count that was acknowledged may be lost or doubled, whatever happens. */

const GRANTS = 10
const CONTENDERS = 4

/** The grants of a store, with what makes a new one: this package knows neither core nor the test kit. */
export interface CountedIn<Grant, Seen> {
  readonly grants: {
    find(id: string): Promise<Seen | undefined>
    insert(id: string, grant: Grant, expiresAt: number): Promise<boolean>
    replace(id: string, seen: Seen, next: Grant, expiresAt: number): Promise<boolean>
  }
  newGrant(): Grant
}

interface GrantOfCount {
  readonly id: string
  readonly usedAt: number
}

/** How often a fault comes in one test. */
const FAULTS = 5

/** What a server and the network before it may do to a store. */
type Fault = (network: TcpProxy, server: { restart(): Promise<unknown> }, more: More) => Promise<unknown>

/** Waits for as many attempts as there are contenders, whatever comes of them. */
type More = () => Promise<void>

export const FAULTS_OF_SERVERS: readonly (readonly [name: string, fault: Fault])[] = [
  ['crashes', (_, server) => server.restart()],
  ['loses its connections', async (network) => network.reset()],
  [
    'answers, and the answer is lost',
    async (network, _, more) => {
      network.loseReplies = true
      await more()
      network.reset()
      network.loseReplies = false
    },
  ],
  [
    'is out of reach for a moment',
    async (network, _, more) => {
      network.cut = true
      await more()
      network.cut = false
    },
  ],
  [
    'is slow at times',
    async (network) => {
      network.latency = () => (Math.random() < 0.1 ? 600 : 0)
    },
  ],
]

/** Counts while one fault comes again and again, and until the store serves again. */
export async function countDespite<Grant extends GrantOfCount, Seen extends { readonly value: Grant }>(
  fault: Fault,
  counted: CountedIn<Grant, Seen>,
  network: TcpProxy,
  server: { restart(): Promise<unknown> },
): Promise<void> {
  try {
    const { written } = await countDuring(counted, async (more) => {
      for (let round = 0; round < FAULTS; round++) {
        await fault(network, server, more)
        await more()
      }
      network.latency = () => 0
      await more()
    })
    expect(written).toBeGreaterThan(FAULTS)
  } finally {
    Object.assign(network, { loseReplies: false, cut: false, latency: () => 0 })
  }
}

interface Count {
  readonly id: string
  /** Acknowledged. */
  written: number
  unknown: number
}

/** What was counted, and the longest time in milliseconds without any acknowledged count. */
export interface Counted {
  readonly written: number
  readonly unknown: number
  readonly longestPause: number
}

/** Counts until the work is over, and then compares the records with what was acknowledged. */
export async function countDuring<Grant extends GrantOfCount, Seen extends { readonly value: Grant }>(
  { grants, newGrant }: CountedIn<Grant, Seen>,
  work: (more: More) => Promise<void>,
): Promise<Counted> {
  const fresh = Array.from({ length: GRANTS }, newGrant)
  for (const grant of fresh) await grants.insert(grant.id, { ...grant, usedAt: 0 }, soon())
  const counts: Count[] = fresh.map(({ id }) => ({ id, written: 0, unknown: 0 }))
  const state = { over: false, attempts: 0, longestPause: 0, lastAt: performance.now() }
  const contenders = counts.flatMap((count) =>
    Array.from({ length: CONTENDERS }, () => countUp(grants, count, state)),
  )
  const more = () => {
    const enough = state.attempts + contenders.length
    return expect.poll(() => state.attempts).toBeGreaterThanOrEqual(enough)
  }
  await work(more).finally(() => {
    state.over = true
  })
  await Promise.all(contenders)
  for (const count of counts) await compare(grants, count)
  const sum = (name: 'written' | 'unknown') => counts.reduce((all, count) => all + count[name], 0)
  return { written: sum('written'), unknown: sum('unknown'), longestPause: Math.round(state.longestPause) }
}

async function countUp<Grant extends GrantOfCount, Seen extends { readonly value: Grant }>(
  grants: CountedIn<Grant, Seen>['grants'],
  count: Count,
  state: { over: boolean; attempts: number; longestPause: number; lastAt: number },
): Promise<void> {
  for (; !state.over; state.attempts++) {
    const seen = await grants.find(count.id).catch(() => undefined)
    if (seen === undefined) continue
    const next = { ...seen.value, usedAt: seen.value.usedAt + 1 }
    try {
      if (!(await grants.replace(count.id, seen, next, soon()))) continue
      count.written++
      state.longestPause = Math.max(state.longestPause, performance.now() - state.lastAt)
      state.lastAt = performance.now()
    } catch {
      count.unknown++
    }
  }
}

/** Epoch seconds. */
const soon = () => Math.floor(Date.now() / 1000) + 600

async function compare<Seen extends { readonly value: GrantOfCount }>(
  grants: { find(id: string): Promise<Seen | undefined> },
  { id, written, unknown }: Count,
): Promise<void> {
  const usedAt = () => grants.find(id).then((found) => found?.value.usedAt)
  await expect.poll(() => usedAt().catch(() => -1)).toBeGreaterThanOrEqual(written)
  expect(await usedAt()).toBeLessThanOrEqual(written + unknown)
}
