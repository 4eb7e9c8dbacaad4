import { expect, it } from 'vitest'
import { App, tokensOf } from './app.ts'
import { onEachStore } from './on-the-service.ts'

/** A refresh token rotates once, on any store. The other rules for refreshing are tested in core. */

onEachStore('refreshing', (bench) => {
  it('RF-03, REQ-44: concurrent refreshes all get the same successor, so there are never two', async () => {
    const app = await App.register(bench)
    for (let round = 0; round < 2; round++) {
      const { refresh_token } = await app.tokens()
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))
      const served = answers.filter(({ status }) => status === 200).map(tokensOf)
      expect(served.length).toBeGreaterThan(0)
      expect(new Set(served.map((tokens) => tokens.refresh_token)).size).toBe(1)
      expect(new Set(served.map((tokens) => tokens.access_token)).size).toBe(1)
    }
  })
})
