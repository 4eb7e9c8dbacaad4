import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { REGISTRATION, refresh, register, statuses } from './limited-requests.ts'
import { type RunningService, runService } from './service.ts'
import { signedIn } from './tokens.ts'

/** The limits of the running service, seen from outside. */

const services: RunningService[] = []
const serve = async (environment: Record<string, string>) => {
  const service = await runService(environment)
  services.push(service)
  return service
}
afterAll(async () => {
  for (const service of services) await service.close()
})

/** Registers and resets the connection before the answer: at once, or after an answer that asked nobody's address. */
const registerAndHangUp = async ({ port }: RunningService, accepted: boolean) => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  if (accepted) {
    socket.write('GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(socket, 'data')
  }
  const head = `content-type: application/json\r\ncontent-length: ${REGISTRATION.length}`
  socket.write(`POST /api/oauth/register HTTP/1.1\r\nhost: a\r\n${head}\r\n\r\n${REGISTRATION}`)
  socket.resetAndDestroy()
}
/** Not every request outlives its connection, so it sends more of them until that many were judged. */
const hangUpUntil = (judged: number, service: RunningService, accepted: boolean) =>
  expect
    .poll(
      async () => {
        await Promise.all(Array.from({ length: 100 }, () => registerAndHangUp(service, accepted)))
        return service.events.length
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(judged)

describe('the service', () => {
  it('refuses the 101st registration of an address, whatever its headers say, and serves other requests', async () => {
    const service = await serve({})
    const { client_id, refresh_token } = await signedIn(service.baseUrl, 'courses:read')
    const answers = await statuses(100, (n) => register(service, { 'x-forwarded-for': `203.0.113.${n}` }))
    expect(answers).toEqual([...Array(99).fill(201), 429])
    const refused = await register(service)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' })
    expect((await refresh(service, client_id, refresh_token)).status).toBe(200)
  })

  it('never refuses a client its valid refresh, however many failed with its id', async () => {
    const service = await serve({})
    const { client_id, refresh_token } = await signedIn(service.baseUrl, 'courses:read')
    const failures = await statuses(102, () => refresh(service, client_id, 'wrong'))
    expect(failures).toEqual([...Array(100).fill(400), 429, 429])
    expect((await refresh(service, client_id, refresh_token)).status).toBe(200)
  })

  it('counts the caller that a trusted proxy names', async () => {
    const service = await serve({ TRUST_PROXY: 'loopback' })
    const from = (address: string) => register(service, { 'x-forwarded-for': `192.0.2.1, ${address}` })
    expect(await statuses(101, () => from('203.0.113.7'))).toEqual([...Array(100).fill(201), 429])
    expect((await from('203.0.113.8')).status).toBe(201)
    expect((await from('2001:db8::1')).status).toBe(201)
  })

  it('counts a caller that hangs up before the answer', async () => {
    const service = await serve({})
    await hangUpUntil(250, service, true)
    expect((await register(service)).status).toBe(429)
  })

  it('counts all callers together whose address nobody knows any more', async () => {
    const service = await serve({})
    await hangUpUntil(350, service, false)
    const registered = service.events.filter(({ type }) => type === 'client_registered')
    expect(registered.length).toBeLessThanOrEqual(200)
  })

  it('limits nothing when it is told so', async () => {
    const service = await serve({ RATE_LIMITS: 'off' })
    expect(new Set(await statuses(150, () => register(service)))).toEqual(new Set([201]))
  })
})
