import { describe, expect, it } from 'vitest'
import type { Limiter } from '../limits/rate-limits.ts'
import type { IssuedTokens, Outcome } from './grant.ts'
import { countingTokens, hasLimits } from './token-endpoint.ts'

const EXCHANGED = 'urn:ietf:params:oauth:token-type:access_token'

const outcomeOf = (kind: string, retried?: string) => ({ kind, result: { retried } }) as Outcome<IssuedTokens>

/** What one request counts, in this order. */
async function counted(limits: object, outcome: Outcome<IssuedTokens>, issuedTokenType?: string) {
  const taken: unknown[] = []
  const take = async (name: string, key: string, { seconds }: { seconds: number }) => {
    taken.push(`${name} ${key} ${seconds}`)
    return 0
  }
  const client = { clientId: 'app', ...limits }
  const request = { client, refreshes: false, prepareResponse: <T>(same: T) => same }
  const prepare = countingTokens({ take } as unknown as Limiter, request)
  for (const _ of 'again') expect(await prepare(outcome, issuedTokenType)).toBe(outcome)
  return taken
}

describe('a request of a client with limits', () => {
  const limits = { tokensPerMinute: 5, grantsPerHour: 3 }

  it.each([
    [
      'new tokens',
      limits,
      outcomeOf('changed'),
      undefined,
      ['client_tokens_5 app 60', 'client_grants_3 app 3600'],
    ],
    [
      'an exchanged token, of a grant that had tokens',
      limits,
      outcomeOf('changed'),
      EXCHANGED,
      ['client_tokens_5 app 60'],
    ],
    [
      'a limit of tokens alone',
      { tokensPerMinute: 1 },
      outcomeOf('changed'),
      undefined,
      ['client_tokens_1 app 60'],
    ],
    [
      'a limit of grants alone',
      { grantsPerHour: 1 },
      outcomeOf('changed'),
      undefined,
      ['client_grants_1 app 3600'],
    ],
    ['a repeated answer', limits, outcomeOf('unchanged', 'late'), undefined, []],
    ['the end of a grant', limits, outcomeOf('ended'), undefined, []],
  ])('counts what it gets, once: %s', async (_, given, outcome, type, expected) => {
    expect(await counted(given, outcome, type)).toEqual(expected)
    expect(hasLimits(given)).toBe(true)
  })
})
