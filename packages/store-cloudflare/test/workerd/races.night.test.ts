import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { migrate } from '../../src/d1.ts'
import { clientOf } from './requests.ts'
import { ISSUERS } from './worker.ts'

const ROUNDS = 20
const REFRESHES = 50
const REDEMPTIONS = 20

beforeAll(() => migrate(env.DB))

describe.each(Object.entries(ISSUERS))('a server over %s', (_, issuer) => {
  it(`answers ${REFRESHES} refreshes of one token at once with one successor, in each of ${ROUNDS} rounds`, async () => {
    const client = await clientOf(issuer)
    let { refresh_token } = await client.tokens('notes:read')
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(times(REFRESHES, () => client.refresh(refresh_token)))
      expect(answers.map(({ status }) => status)).toEqual(times(REFRESHES, () => 200))
      const successors = new Set(answers.map((answer) => `${answer.refresh_token} ${answer.access_token}`))
      expect(successors.size).toBe(1)
      // The next round uses it.
      refresh_token = answers[0]?.refresh_token ?? ''
    }
    expect(await client.refresh(refresh_token)).toMatchObject({ status: 200 })
  })

  it(`redeems a code once of ${REDEMPTIONS} times at once, in each of ${ROUNDS} rounds`, async () => {
    const client = await clientOf(issuer)
    for (let round = 0; round < ROUNDS; round++) {
      const approval = await client.approve('notes:read')
      const answers = await Promise.all(times(REDEMPTIONS, () => client.redeem(approval)))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, ...times(REDEMPTIONS - 1, () => 400)])
    }
  })
})

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make)
}
