import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, TestClient, Tokens } from '@grantkit/testkit/client'
import { opens, SCOPE, times } from './client.ts'

type TokenAnswer = Answer & Partial<Tokens>

/** A client of a running Worker, and the address of that. */
export interface Setup {
  readonly client: TestClient
  readonly url: string
}

/** So that no request of a race waits for its connection. */
async function openConnections(url: string, count: number): Promise<void> {
  await Promise.all(times(count, () => opens(url, 'no token')))
}

export interface Refreshes {
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Different refresh tokens among the answers. */
  readonly successors: number
  /** How many of them still work, if each is used after the other. */
  readonly working: number
  readonly liveAccessTokens: number
}

/** A client refreshes one token many times at once, as one with several windows does. */
export async function refreshAtOnce({ client, url }: Setup, count: number): Promise<Refreshes> {
  const { refresh_token } = await client.tokens(SCOPE)
  await openConnections(url, count)
  const answers = await Promise.all(times(count, () => client.refresh(refresh_token)))
  const accessTokens = different(answers, 'access_token')
  const live = await Promise.all(accessTokens.map((token) => opens(url, token)))
  const successors = different(answers, 'refresh_token')
  let working = 0
  for (const token of successors) working += (await client.refresh(token)).status === 200 ? 1 : 0
  return {
    statuses: tally(answers.map(({ status }) => String(status))),
    successors: successors.length,
    working,
    liveAccessTokens: live.filter(Boolean).length,
  }
}

export interface Redemptions {
  readonly succeeded: number
  readonly liveAccessTokens: number
}

/** One code is redeemed many times at once, as a thief of it and its owner do. */
export async function redeemAtOnce({ client, url }: Setup, count: number): Promise<Redemptions> {
  const approval = await client.approve(SCOPE)
  await openConnections(url, count)
  const answers = await Promise.all(times(count, () => client.redeem(approval)))
  const accessTokens = different(answers, 'access_token')
  const live = await Promise.all(accessTokens.map((token) => opens(url, token)))
  return { succeeded: accessTokens.length, liveAccessTokens: live.filter(Boolean).length }
}

export interface Repetition {
  readonly status: number
  readonly isSamePair: boolean
  /** Statuses of a refresh with the token of the first answer, and with that of the second, each in a grant of its own. */
  readonly refreshes: readonly [first: number, second: number]
  readonly liveAccessTokens: number
}

/** The answer to a refresh is lost, and the client sends the request again. */
export async function repeatLostRefresh({ client, url }: Setup): Promise<Repetition> {
  const repeated = async () => {
    const { refresh_token } = await client.tokens(SCOPE)
    return [await client.refresh(refresh_token), await client.refresh(refresh_token)] as const
  }
  const pairs = [await repeated(), await repeated()] as const
  const [one, two] = pairs[0]
  const accessTokens = different([one, two], 'access_token')
  const live = await Promise.all(accessTokens.map((token) => opens(url, token)))
  const refreshes = [await next(client, one), await next(client, pairs[1][1])] as const
  const isSamePair = one.refresh_token === two.refresh_token && one.access_token === two.access_token
  return { status: two.status, isSamePair, refreshes, liveAccessTokens: live.filter(Boolean).length }
}

/**
 * A client moves to another location of Cloudflare and back within a minute, and refreshes at each.
 *
 * @returns the statuses of the refreshes
 */
export async function refreshElsewhereAndBack({ client }: Setup): Promise<readonly [number, number]> {
  const at = (location: string) => ({ 'x-location': location })
  const redemption = client.redemption(await client.approve(SCOPE))
  const refresh = (location: string, { refresh_token = '' }: TokenAnswer) =>
    client.token({ ...client.credentials, grant_type: 'refresh_token', refresh_token }, at(location))
  const elsewhere = await refresh('B', await client.token(redemption, at('A')))
  const back = await refresh('A', elsewhere)
  return [elsewhere.status, back.status]
}

/** A refresh token that was rotated three times since: it was stolen, or the client lost its state. */
export interface OldToken extends Setup {
  readonly stolen: string
  readonly newest: TokenAnswer
  /** Of `performance`. */
  readonly rotatedAt: number
}

export async function oldTokenOf({ client, url }: Setup): Promise<OldToken> {
  const { refresh_token: stolen } = await client.tokens(SCOPE)
  let newest: TokenAnswer = await client.refresh(stolen)
  for (let rotation = 2; rotation <= 3; rotation++) newest = await client.refresh(newest.refresh_token ?? '')
  return { client, url, stolen, newest, rotatedAt: performance.now() }
}

export interface Replay {
  readonly status: number
  /** Of a refresh with the current token, afterwards. */
  readonly current: number
  readonly isAccessTokenLive: boolean
}

/** @param after milliseconds since the rotations */
export async function replay(
  { client, url, stolen, newest, rotatedAt }: OldToken,
  after = 0,
): Promise<Replay> {
  await sleep(Math.max(0, rotatedAt + after - performance.now()))
  const { status } = await client.refresh(stolen)
  const isAccessTokenLive = await opens(url, newest.access_token)
  return { status, current: await next(client, newest), isAccessTokenLive }
}

async function next(client: TestClient, { refresh_token = '' }: TokenAnswer): Promise<number> {
  return (await client.refresh(refresh_token)).status
}

function different(answers: readonly TokenAnswer[], name: 'access_token' | 'refresh_token'): string[] {
  return [...new Set(answers.flatMap((answer) => answer[name] ?? []))]
}

export function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
