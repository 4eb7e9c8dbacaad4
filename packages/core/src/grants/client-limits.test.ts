import { describe, expect, it } from 'vitest'
import type { Client } from '../kernel/records.ts'
import type { Limiter } from '../limits/rate-limits.ts'
import { countTokens, hasLimits } from './token-endpoint.ts'

/** What one request counts, in this order. */
async function counted(limits: object, refreshes: boolean) {
  const taken: unknown[] = []
  const take = async (name: string, key: string, { seconds }: { seconds: number }) => {
    taken.push(`${name} ${key} ${seconds}`)
    return 0
  }
  await countTokens({ take } as unknown as Limiter, { clientId: 'app', ...limits } as Client, refreshes)
  return taken
}

describe('a request of a client with limits', () => {
  const limits = { tokensPerMinute: 5, grantsPerHour: 3 }

  it.each([
    ['new tokens', limits, false, ['client_tokens_5 app 60', 'client_grants_3 app 3600']],
    ['tokens of a grant that had tokens', limits, true, ['client_tokens_5 app 60']],
    ['a limit of tokens alone', { tokensPerMinute: 1 }, false, ['client_tokens_1 app 60']],
    ['a limit of grants alone', { grantsPerHour: 1 }, false, ['client_grants_1 app 3600']],
  ])('counts what it gets: %s', async (_, given, refreshes, expected) => {
    expect(await counted(given, refreshes)).toEqual(expected)
    expect(hasLimits(given)).toBe(true)
  })
})
