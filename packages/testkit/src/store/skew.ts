import { describe, expect, it } from 'vitest'
import { LIFETIMES, openFlow, SCOPE } from './flow.ts'
import type { Subject } from './subject.ts'

/** The clocks of server and store differ: two machines never agree to the second. */
export function skewPromises(subject: Subject): void {
  describe.each([-20, 20])('a server whose clock is %i s off', (skew) => {
    it('issues, rotates and revokes as ever', async () => {
      const flow = await openFlow(subject.store, () => subject.clock.now() + skew)
      const first = await flow.redeem(await flow.approve(SCOPE))
      expect(first).toMatchObject({ status: 200 })
      const second = await flow.refresh(first.refresh_token ?? '')
      expect(await flow.introspect(second.access_token ?? '')).toMatchObject({ active: true })
      await flow.revoke(second.refresh_token ?? '')
      expect(await flow.introspect(second.access_token ?? '')).toMatchObject({ active: false })
    })

    it('lets no token live past its time', async () => {
      const time = { passed: 0 }
      const flow = await openFlow(subject.store, () => subject.clock.now() + skew + time.passed)
      const { access_token = '', refresh_token = '' } = await flow.redeem(await flow.approve(SCOPE))
      time.passed = LIFETIMES.accessToken
      expect(await flow.introspect(access_token)).toMatchObject({ active: false })
      time.passed = LIFETIMES.refreshToken
      expect(await flow.refresh(refresh_token)).toMatchObject({ error: 'invalid_grant' })
    })
  })
}
