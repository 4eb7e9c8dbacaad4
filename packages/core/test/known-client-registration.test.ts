import type { RateLimiter } from '@grantkit/core'
import { describe, expect, it } from 'vitest'
import { bodyOf } from './client.ts'
import { CHATGPT, CLAUDE, CURSOR, CURSOR_WEB, eventsOf, FOREIGN, openKnown } from './known-client-service.ts'
import { REDIRECT_URI, type Service } from './service.ts'

const registerWith = (
  service: Service,
  redirect_uris: readonly string[],
  more: object = {},
  remoteAddress?: string,
) => service.send('POST', '/api/oauth/register', { json: { redirect_uris, ...more }, remoteAddress })

describe('the registration of a known client', () => {
  it.each([
    ['all its addresses', CURSOR, CURSOR],
    ['all of them but a foreign one', [...CURSOR, FOREIGN], CURSOR],
  ])('is answered with exactly what was accepted: %s', async (_, sent, accepted) => {
    const service = openKnown()
    const answer = bodyOf(await registerWith(service, sent))
    expect(answer.redirect_uris).toEqual(accepted)
    expect(await service.server.clients.find(String(answer.client_id))).toMatchObject({
      redirectUris: accepted,
      knownClient: 'cursor',
    })
  })

  it('is logged with the entry, unless it has only loopback addresses', async () => {
    const service = openKnown()
    await registerWith(service, CURSOR)
    await registerWith(service, [REDIRECT_URI])
    expect(eventsOf(service, 'client_registered')).toMatchObject([{ known: 'cursor' }, {}])
    expect(eventsOf(service, 'client_registered')[1]).not.toHaveProperty('known')
  })

  it('that the operator has not allowed names the setting in its error', async () => {
    const service = openKnown({ except: ['cursor'] })
    const answer = await registerWith(service, [CURSOR_WEB])
    expect(bodyOf(answer)).toEqual({
      error: 'invalid_redirect_uri',
      error_description:
        "This server has not enabled this client. Ask its operator to enable it: knownClients({ only: [..., 'cursor'] })",
    })
    expect(service.events).toMatchObject([{ type: 'refused', reason: 'known_client_off' }])
  })
})

describe('the number of registrations', () => {
  const many = async (service: Service, uri: string, count: number, remoteAddress: string) => {
    const answers = []
    for (let n = 0; n < count; n++)
      answers.push((await registerWith(service, [uri], {}, remoteAddress)).status)
    return answers.filter((status) => status === 201).length
  }

  it('may be larger for a hosted client, whose users register from few addresses of its vendor', async () => {
    const service = openKnown()
    expect(await many(service, CHATGPT, 300, '203.0.113.1'), 'from one address').toBe(300)
    expect(await many(service, REDIRECT_URI, 101, '203.0.113.1'), 'of another kind').toBe(100)
  })

  it('has one limit for the hosted clients of a caller, and the general one where a list has loopback addresses', async () => {
    const counted: string[] = []
    const rateLimiter: RateLimiter = {
      async take(limit, key) {
        counted.push(`${limit} ${key}`)
        return 0
      },
    }
    const service = openKnown({}, { rateLimiter })
    for (const uris of [[CHATGPT], [CLAUDE], CURSOR]) await registerWith(service, uris, {}, '203.0.113.1')
    expect(counted).toEqual([
      'known_client_registration 203.0.113.1',
      'known_client_registration 203.0.113.1',
      'registration 203.0.113.1',
    ])
  })

  it('of one caller is bounded for all hosted clients together, and uses up that of no other caller', async () => {
    const service = openKnown()
    expect(await many(service, CHATGPT, 900, '203.0.113.1')).toBe(900)
    expect(await many(service, CLAUDE, 300, '203.0.113.1'), '1,000 hosted ones, and 100 of any kind').toBe(
      200,
    )
    expect(await many(service, CLAUDE, 200, '198.51.100.7')).toBe(200)
  })

  it('has a limit for hosted clients, above which the limit of each caller applies', async () => {
    const above = (...limits: string[]): RateLimiter => ({
      take: async (limit) => (limits.includes(limit) ? 60 : 0),
    })
    const statusAbove = async (...limits: string[]) =>
      (await registerWith(openKnown({}, { rateLimiter: above(...limits) }), [CHATGPT])).status
    expect(await statusAbove('known_client_registration')).toBe(201)
    expect(await statusAbove('known_client_registration', 'registration')).toBe(429)
    expect(openKnown().server.description.rateLimits.known_client_registration).toMatchObject({
      points: 1000,
      seconds: 600,
    })
  })
})
