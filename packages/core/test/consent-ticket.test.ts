import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  authorizationQuery,
  authorize,
  bodyOf,
  type ClientAnswer,
  credentials,
  decide,
  redeem,
  redirectOf,
  register,
  type TokenAnswer,
} from './client.ts'
import { openService, REDIRECT_URI, type Service } from './service.ts'

/** One consent ticket has one outcome: allow, deny or nothing. A form that is sent again never opens another grant. */

const ALL = {}
const SOME = { scope: 'courses:read' }
const DENY = { decision: 'deny' }
/** An access token that ends long before the ticket. */
const BRIEF = { accessToken: 30 }

async function atConsent(overrides: Parameters<typeof openService>[0] = {}, metadata: object = {}) {
  const service = openService(overrides)
  const client = await register(service, metadata)
  // A session that stays the same while the clock moves.
  const alice = { cookie: `user=alice@${service.clock.now}` }
  await authorize(service, authorizationQuery(client.clientId), alice)
  // With an expired ticket, the browser is redirected to the form and not to the client.
  const send = async (form: Record<string, string>): Promise<Record<string, string>> => {
    const answer = await decide(service, form, alice)
    return String(answer.headers.location).startsWith(REDIRECT_URI) ? redirectOf(answer) : {}
  }
  return { service, client, send }
}

async function codeIsGood(service: Service, client: ClientAnswer, code = ''): Promise<boolean> {
  return (await redeem(service, client, code)).status === 200
}

it('a consent form with a valid ticket is rejected from another site', async () => {
  const { service } = await atConsent()
  const cookie = `user=alice@${service.clock.now}`
  const answer = await decide(service, {}, { cookie, origin: 'https://evil.example' })
  expect([answer.status, service.shown.error?.reason]).toEqual([403, 'form_of_another_site'])
  expect((await service.server.grants.list('alice')).grants).toEqual([])
})

describe('a consent form that is sent again', () => {
  it('REQ-25: gives no code after it was denied, and may be denied twice', async () => {
    const { service, send } = await atConsent()
    expect(await send(DENY)).toMatchObject({ error: 'access_denied' })
    expect(await send(ALL)).toMatchObject({ error: 'invalid_request' })
    expect(await send(DENY)).toMatchObject({ error: 'access_denied' })
    expect(service.events.filter(({ type }) => type === 'consent_denied')).toHaveLength(1)
    expect((await service.server.grants.list('alice')).grants).toEqual([])
  })

  it.each([
    ['deny', DENY, 'access_denied'],
    ['less', SOME, 'invalid_request'],
  ])('with %s after an approval ends what was approved', async (_, second, error) => {
    const { service, client, send } = await atConsent()
    const { code } = await send(ALL)
    expect(await send(second)).toMatchObject({ error })
    expect(await codeIsGood(service, client, code)).toBe(false)
    expect(await send(ALL)).toMatchObject({ error: 'invalid_request' })
    const ends = service.events.filter(({ type }) => type === 'grant_revoked')
    expect(ends).toEqual([expect.objectContaining({ by: 'user', clientId: client.clientId })])
  })

  it.each([
    ['the same code while that one is valid', 59, true],
    ['no code from the second in which that one ends', 60, false],
  ])(
    'UI-01: unchanged, a consent form gives the same code again while that is valid: %s',
    async (_, later, given) => {
      const { service, client, send } = await atConsent()
      const { code } = await send(ALL)
      service.clock.now += later
      const again = await send(ALL)
      expect(again).toMatchObject(given ? { code } : { error: 'invalid_request' })
      expect(await codeIsGood(service, client, again.code)).toBe(given)
    },
  )

  it('is refused if the record of the first answer cannot be found any more', async () => {
    const { service, send } = await atConsent()
    await send(ALL)
    vi.spyOn(service.store.grants, 'find').mockResolvedValue(undefined)
    expect(await send(ALL)).toMatchObject({ error: 'invalid_request' })
    expect(service.events.at(-1)).toMatchObject({ type: 'refused', reason: 'consent_ticket_spent' })
  })

  it('UI-01: unchanged, a consent form gives no code after the first was redeemed, and does not affect its tokens', async () => {
    const { service, client, send } = await atConsent()
    const tokens = bodyOf<TokenAnswer>(await redeem(service, client, (await send(ALL)).code ?? ''))
    expect(await send(ALL)).toMatchObject({ error: 'invalid_request' })
    expect(await service.callApi(tokens.access_token)).toMatchObject({ kind: 'authorized' })
  })

  it('with deny also revokes tokens that were issued in the meantime', async () => {
    const { service, client, send } = await atConsent()
    const tokens = bodyOf<TokenAnswer>(await redeem(service, client, (await send(ALL)).code ?? ''))
    await send(DENY)
    expect(await service.callApi(tokens.access_token)).toMatchObject({ kind: 'refused' })
  })
})

type End = (service: Service, client: ClientAnswer, code: string) => Promise<unknown>

const ENDS: Record<string, End> = {
  'was replayed': async (service, client, code) => {
    await redeem(service, client, code)
    await redeem(service, client, code)
  },
  'was burnt by a wrong verifier': (service, client, code) =>
    redeem(service, client, code, { code_verifier: 'w'.repeat(43) }),
  'was revoked by its client': async (service, client, code) => {
    const { refresh_token } = bodyOf<TokenAnswer>(await redeem(service, client, code))
    const form = { ...credentials(client), token: refresh_token }
    await service.send('POST', '/api/oauth/revoke', { form })
  },
  'was revoked by its user': async (service) => {
    for (const { id } of (await service.server.grants.list('alice')).grants)
      await service.server.grants.revoke('alice', id)
  },
  'expired with its tokens': async (service, client, code) => {
    await redeem(service, client, code)
    service.clock.now += 100
  },
}

describe('a code that', () => {
  it.each(Object.entries(ENDS))('%s does not become valid again', async (_, end) => {
    const { service, client, send } = await atConsent({ lifetimes: BRIEF })
    const { code = '' } = await send(ALL)
    await end(service, client, code)
    expect(await send(ALL)).not.toHaveProperty('code')
    expect(await codeIsGood(service, client, code)).toBe(false)
    expect(await send(ALL)).not.toHaveProperty('code')
  })

  it('expired with its only token does not become valid again', async () => {
    const metadata = { grant_types: ['authorization_code'] }
    const { service, client, send } = await atConsent({ lifetimes: BRIEF }, metadata)
    const { code } = await send(ALL)
    expect(await codeIsGood(service, client, code)).toBe(true)
    service.clock.now += 100
    expect(await send(ALL)).not.toHaveProperty('code')
    expect((await service.server.grants.list('alice')).grants, 'and is in no list').toEqual([])
  })

  it.each(Object.entries(ENDS))('%s does not become valid again by a late insert', async (_, end) => {
    const { service, client, send } = await atConsent({ lifetimes: BRIEF })
    const inserts = vi.spyOn(service.store.grants, 'insert')
    const { code = '' } = await send(ALL)
    const [inserted] = inserts.mock.calls
    await end(service, client, code)
    if (inserted) expect(await service.store.grants.insert(...inserted)).toBe(false)
    expect(await codeIsGood(service, client, code)).toBe(false)
  })
})

type Replace = Service['store']['grants']['replace']

const TROUBLE: Record<string, (replace: Replace) => Replace> = {
  'is lost to another one again and again': () => async () => false,
  fails: () => () => Promise.reject(new Error('OOM command not allowed')),
  'is carried out without a reply':
    (replace) =>
    async (...input) => {
      await replace(...input)
      throw new Error('timed out')
    },
}

describe('the end of a young grant', () => {
  it.each(Object.entries(TROUBLE))('is permanent even if its write %s', async (_, trouble) => {
    const { service, client, send } = await atConsent()
    const { code } = await send(ALL)
    const { replace } = service.store.grants
    vi.spyOn(service.store.grants, 'replace').mockImplementation(trouble(replace))
    expect(await send(DENY)).toMatchObject({ error: 'access_denied' })
    vi.restoreAllMocks()
    expect(await send(ALL)).not.toHaveProperty('code')
    expect(await codeIsGood(service, client, code)).toBe(false)
  })
})

/** The answers to the form. */
const STEPS = { ALL, SOME, DENY }

describe('in any order of concurrent requests,', () => {
  const step = fc.constantFrom(...Object.keys(STEPS), ...Object.keys(ENDS), 'redeemed', 'a minute passed')

  it('a ticket opens at most one grant, and none after its end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
        async (life) => {
          const { service, client, send } = await atConsent()
          const [codes, answers] = [new Set<string>(), new Set<string>()]
          let redeemed = 0
          const take = async (name: string) => {
            const [code = 'gkc_none'] = codes
            if (name in STEPS) {
              const answer = await send(STEPS[name as keyof typeof STEPS])
              if (answer.code !== undefined) codes.add(answer.code)
              if (answer.code !== undefined || answer.error === 'access_denied') answers.add(name)
            } else if (name === 'redeemed') redeemed += Number(await codeIsGood(service, client, code))
            else if (name === 'a minute passed') service.clock.now += 60
            else await ENDS[name]?.(service, client, code)
          }
          for (const together of life) await Promise.all(together.map(take))
          expect(codes.size).toBeLessThanOrEqual(1)
          expect(redeemed).toBeLessThanOrEqual(1)
          if (answers.has('ALL')) expect(answers).not.toContain('SOME')
          if (answers.size > 1) expect((await service.server.grants.list('alice')).grants).toEqual([])
        },
      ),
      { numRuns: 150 },
    )
  })
})
