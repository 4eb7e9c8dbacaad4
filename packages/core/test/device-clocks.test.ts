import { expect, it } from 'vitest'
import { bodyOf, type TokenAnswer } from './client.ts'
import { openDeviceService } from './device-service.ts'

it('a device that polls a replica whose clock is behind gets its tokens', async () => {
  const { service, start, poll, approve } = await openDeviceService()
  const started = await start()
  await approve(started)
  service.clock.now -= 30
  const answer = await poll(started)
  expect([answer.status, bodyOf<TokenAnswer>(answer).token_type]).toEqual([200, 'Bearer'])
})

it('a device that polls again at such a replica gets the same tokens', async () => {
  const { service, start, poll, approve } = await openDeviceService()
  const started = await start()
  await approve(started)
  const first = bodyOf<TokenAnswer>(await poll(started))
  service.clock.now -= 30
  const again = bodyOf<TokenAnswer>(await poll(started))
  expect(again.access_token).toBe(first.access_token)
})
