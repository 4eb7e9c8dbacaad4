import { expect, it } from 'vitest'
import { App, tokensOf } from './app.ts'
import { onEachStore } from './on-the-service.ts'
import { expectError, expectFamilyDead } from './safe-answers.ts'

/** A code is redeemed once, on any store. The other rules for codes are tested in core. */

onEachStore('the redemption of a code', (bench) => {
  it('CR-06, REQ-39: one of several concurrent redemptions succeeds, and then the grant is revoked', async () => {
    const app = await App.register(bench)
    for (let round = 0; round < 2; round++) {
      const code = await app.code()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.redeem(code)))
      const served = answers.filter(({ status }) => status === 200)
      expect(served).toHaveLength(1)
      for (const answer of answers.filter(({ status }) => status !== 200))
        expectError(answer, 'invalid_grant')
      for (const answer of served) await expectFamilyDead(app, tokensOf(answer))
    }
  })
})
