import { expect, it } from 'vitest'
import { register, statuses } from './limited-requests.ts'
import { runServer } from './running-server.ts'

/** The settings for the rate limits of the server. */

it('counts the caller that a trusted proxy names', async () => {
  const server = await runServer({ TRUST_PROXY: 'loopback' })
  const from = (address: string) => register(server, { 'x-forwarded-for': `192.0.2.1, ${address}` })
  expect(await statuses(101, () => from('203.0.113.7'))).toEqual([...Array(100).fill(201), 429])
  expect((await from('203.0.113.8')).status).toBe(201)
  expect((await from('2001:db8::1')).status).toBe(201)
  await server.close()
})

it('are off with RATE_LIMITS=off', async () => {
  const server = await runServer({ RATE_LIMITS: 'off' })
  expect(new Set(await statuses(101, () => register(server)))).toEqual(new Set([201]))
  await server.close()
})
