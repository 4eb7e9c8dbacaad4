import { missingAbility } from '../grants/ways.ts'
import { burstOf, bySeveral, type Check } from './check.ts'
import { needsEndpoint } from './conditions.ts'

/** Several polls of an approved device at once: one of them gets tokens (RFC 8628 section 3.5). */
export const deviceTwice: Check = {
  id: 'device-twice',
  rounds: 10,
  cost: { grants: 1, requests: 10 },
  missing: (bench) => missingAbility(bench.ways, 'device') ?? needsEndpoint(bench, 'device'),
  async round(stage, round) {
    const grant = await stage.startDevice()
    await stage.approveDevice(grant)
    await stage.wait(grant.device?.interval ?? 5)
    const { size, start } = burstOf(stage.bench, round)
    await stage.burst(
      bySeveral(stage.bench, size, (how) => stage.attempts.poll(grant, how)),
      start,
    )
  },
}
