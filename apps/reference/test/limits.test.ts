import { expect, it } from 'vitest'
import { register, statuses } from './limited-requests.ts'
import { runService } from './service.ts'

/** The settings for the rate limits of the service. */

it('counts the caller that a trusted proxy names', async () => {
  const service = await runService({ TRUST_PROXY: 'loopback' })
  const from = (address: string) => register(service, { 'x-forwarded-for': `192.0.2.1, ${address}` })
  expect(await statuses(101, () => from('203.0.113.7'))).toEqual([...Array(100).fill(201), 429])
  expect((await from('203.0.113.8')).status).toBe(201)
  expect((await from('2001:db8::1')).status).toBe(201)
  await service.close()
})

it('are off with RATE_LIMITS=off', async () => {
  const service = await runService({ RATE_LIMITS: 'off' })
  expect(new Set(await statuses(101, () => register(service)))).toEqual(new Set([201]))
  await service.close()
})
