import type { AccessToken, AuthorizationServerOptions, Authorized } from '@grantkit/core'
import {
  type AuthorizationDetail,
  authorizationDetails,
  type DetailTypes,
} from '@grantkit/core/authorization-details'
import { type Approval, backchannelAuthentication } from '@grantkit/core/backchannel-authentication'
import { organizations } from '@grantkit/core/organizations'
import { signInAttempts } from '@grantkit/explain'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { openBackchannelService } from './backchannel-service.ts'
import { register, tokensFor } from './client.ts'
import { ISSUER, type Service, type ServiceScope } from './service.ts'

const TYPES: DetailTypes = {
  deletion: {
    schema: z.object({ course: z.string() }),
    describe: ({ course }) => `Delete the course “${course}”`,
    selfRegistered: true,
  },
  payment: { schema: z.object({}), describe: () => 'Pay' },
}
const DELETION = { type: 'deletion', course: 'Chess' }

/** A tool server in the process of the server, and a client that registered itself and holds a token of Alice. */
async function openToolServer(
  features = [authorizationDetails({ types: TYPES })],
  server: Partial<AuthorizationServerOptions<ServiceScope>> = {},
) {
  const opened = await openBackchannelService({ server: { ...server, features } })
  const { service, approvals, shown, notices, openLast, answer } = opened
  const token = await callerOf(service)
  const ask = (operation: AuthorizationDetail = DELETION, by: AccessToken = token) =>
    approvals.ask({ token: by, details: [operation] })
  /** The user answers the page of the last notice. */
  const decide = async (decision: 'allow' | 'deny', form: Record<string, string> = {}) => {
    await openLast()
    const details = shown.request?.terms?.authorization_details
    return answer(decision, { authorization_details: String(details?.shown), ...form })
  }
  const stateOf = async (asked: Promise<Approval>) => (await asked).state
  return { ...opened, token, ask, decide, stateOf, requested: () => notices.length }
}

async function callerOf(service: Service): Promise<AccessToken> {
  const { access_token } = await tokensFor(service, await register(service))
  return ((await service.callApi(access_token)) as Authorized).token
}

describe('an API that asks the user of its caller for one operation', () => {
  it('waits for the answer at a page, and the user hears of it once', async () => {
    const { ask, token, notices, service } = await openToolServer()
    const waiting = await ask()
    const { clientId } = token
    const requestId = String(notices[0]?.requestId)
    const notice = { requestId, url: `${ISSUER}/oauth/requests?request=${requestId}` }
    const ends = { expiresAt: service.clock.now + 300 }
    expect(notices).toEqual([{ ...notice, ...ends, clientId, subject: 'alice' }])
    expect(waiting).toEqual({ state: 'waiting', ...notice, ...ends })
    service.clock.now += 10
    expect(await ask()).toEqual(waiting)
    expect(notices).toHaveLength(1)
  })

  it('shows what the type says of it, and no access', async () => {
    const { ask, openLast, shown } = await openToolServer()
    await ask()
    await openLast()
    expect(shown.request).toMatchObject({
      ...{ operation: true, scopes: [], resources: [] },
      client: { clientName: 'Test client' },
      terms: {
        authorization_details: { details: [{ type: 'deletion', text: 'Delete the course “Chess”' }] },
      },
    })
  })

  it('may carry it out once after the user has allowed it, and no grant opens', async () => {
    const { ask, decide, stateOf, shown, service, token } = await openToolServer()
    const { requestId } = await ask()
    const grants = await service.server.grants.list('alice')
    expect(await decide('allow')).toMatchObject({ status: 200, body: 'answered' })
    expect(shown.answered).toMatchObject({ allowed: true, operation: true })
    const terms = { authorization_details: { details: [DELETION] } }
    const ids = { requestId, clientId: token.clientId, subject: 'alice' }
    expect(service.events).toContainEqual({ type: 'operation_approved', ...ids, resources: [], terms })
    expect(await service.server.grants.list('alice')).toEqual(grants)
    expect([await stateOf(ask()), await stateOf(ask())]).toEqual(['allowed', 'waiting'])
  })

  it('of two calls that see one approval, carries one out', async () => {
    const { ask, decide, stateOf } = await openToolServer()
    await ask()
    await decide('allow')
    const states = await Promise.all([stateOf(ask()), stateOf(ask())])
    expect(states.toSorted()).toEqual(['allowed', 'waiting'])
  })

  it('of two calls at once, asks once', async () => {
    const { ask, notices } = await openToolServer()
    const [one, other] = await Promise.all([ask(), ask()])
    expect(other).toEqual(one)
    expect(notices).toHaveLength(1)
  })

  it('stays refused while the request is stored, and asks again later', async () => {
    const { ask, decide, stateOf, notices, service } = await openToolServer()
    await ask()
    await decide('deny')
    expect([await stateOf(ask()), await stateOf(ask())]).toEqual(['denied', 'denied'])
    expect(notices).toHaveLength(1)
    service.clock.now += 600
    expect(await stateOf(ask())).toBe('waiting')
    expect(notices).toHaveLength(2)
  })

  it('asks again after a request without an answer has ended', async () => {
    const { ask, notices, service } = await openToolServer()
    await ask()
    service.clock.now += 300
    expect(await ask()).toMatchObject({ state: 'waiting', expiresAt: service.clock.now + 300 })
    expect(notices).toHaveLength(2)
  })

  it('asks again after all sessions of the user have ended', async () => {
    const { ask, stateOf, notices, service } = await openToolServer()
    await ask()
    await service.server.sessions.ended({ subject: 'alice', sessionIds: [], all: true })
    expect([await stateOf(ask()), notices.length]).toEqual(['waiting', 2])
  })

  it.each([
    ['allow', 'allowed'],
    ['deny', 'denied'],
  ] as const)('is a step for operators after the answer %s: %s', async (decision, step) => {
    const { ask, decide, service, token } = await openToolServer(undefined, { observer: signInAttempts })
    await ask()
    await decide(decision)
    const { clientId } = token
    expect(service.events.at(-1)).toMatchObject({ type: 'step', step, clientId, subject: 'alice' })
  })

  it('needs a page that has shown it: another answer decides nothing', async () => {
    const { ask, decide, stateOf } = await openToolServer()
    await ask()
    for (const authorization_details of ['', 'x'])
      expect(await decide('allow', { authorization_details })).toMatchObject({ body: 'details_not_shown' })
    expect(await stateOf(ask())).toBe('waiting')
  })
})

type Calls = Record<string, (id: string, ...more: readonly unknown[]) => Promise<unknown>>

/** Once, around the next call of a method about a record whose id begins like this. */
function around(
  { store }: Service,
  method: 'find' | 'insert' | 'replace',
  prefix: string,
  act: (call: () => Promise<unknown>) => Promise<unknown>,
): void {
  const calls = store.transients as unknown as Calls
  const original = calls[method] as Calls[string]
  calls[method] = (id, ...more) => {
    const call = () => original(id, ...more)
    if (!id.startsWith(prefix)) return call()
    calls[method] = original
    return act(call)
  }
}

const lost = () => Promise.reject(new Error('The answer of the store was lost'))

describe('an approval that calls race for', () => {
  it('counts once, also for a call that saw it and goes on when the next request is open', async () => {
    const { ask, decide, stateOf, service } = await openToolServer()
    await ask()
    await decide('allow')
    const others: string[] = []
    around(service, 'find', 'backchannel ', async (find) => {
      const seen = await find()
      others.push(await stateOf(ask()), await stateOf(ask()))
      return seen
    })
    expect([await stateOf(ask()), ...others]).toEqual(['waiting', 'allowed', 'waiting'])
  })

  it('counts once on a store that does not know which of two removals was the first', async () => {
    const { ask, decide, stateOf, service } = await openToolServer()
    await ask()
    await decide('allow')
    const transients = service.store.transients as NonNullable<Service['store']['transients']>
    const { remove } = transients
    transients.remove = (id) => remove(id).then(() => true)
    const states = await Promise.all([stateOf(ask()), stateOf(ask())])
    expect(states.toSorted()).toEqual(['allowed', 'waiting'])
  })

  it('leaves the next request on the list, also if the list hears of the first answer late', async () => {
    const { ask, decide, stateOf, service, open, shown } = await openToolServer()
    await ask()
    around(service, 'replace', 'backchannel-user ', async (replace) => {
      service.clock.now += 1
      expect([await stateOf(ask()), await stateOf(ask())]).toEqual(['allowed', 'waiting'])
      return replace()
    })
    expect(await decide('allow')).toMatchObject({ status: 200, body: 'answered' })
    await open()
    expect(shown.list?.requests).toHaveLength(1)
  })

  it('is known to a form that is sent again after it was taken', async () => {
    const { ask, decide, stateOf, answer, shown } = await openToolServer()
    await ask()
    await decide('allow')
    expect(await stateOf(ask())).toBe('allowed')
    delete shown.answered
    const { shown: authorization_details = '' } = shown.request?.terms?.authorization_details ?? {}
    expect(await answer('allow', { authorization_details })).toMatchObject({ status: 200, body: 'answered' })
    expect(shown.answered).toMatchObject({ allowed: true, operation: true })
  })

  it('ends with all sessions of its user', async () => {
    const { ask, decide, stateOf, service } = await openToolServer()
    await ask()
    await decide('allow')
    service.clock.now += 1
    await service.server.sessions.ended({ subject: 'alice', sessionIds: [], all: true })
    expect(await stateOf(ask())).toBe('waiting')
    await decide('allow')
    expect(await stateOf(ask())).toBe('allowed')
  })
})

it('a request that was stored without an answer of the store is asked anew, and its user hears of it', async () => {
  const { ask, stateOf, service, notices, open, shown } = await openToolServer()
  around(service, 'insert', 'backchannel ', (insert) => insert().then(lost))
  await expect(ask()).rejects.toMatchObject({ status: 503 })
  expect(await stateOf(ask())).toBe('waiting')
  expect(notices).toHaveLength(1)
  await open()
  expect(shown.list?.requests).toHaveLength(1)
})

describe('with organizations', () => {
  const both = [
    { id: 'acme', name: 'Acme' },
    { id: 'globex', name: 'Globex' },
  ]
  /** The token of Alice is older than her memberships. */
  const openWith = async (features: ReturnType<typeof authorizationDetails>[]) => {
    const memberships: typeof both = []
    const opened = await openToolServer([...features, organizations({ of: () => memberships })])
    memberships.push(...both)
    return opened
  }

  it('an operation asks for none, and an approval counts for no token of another one', async () => {
    const { ask, decide, stateOf, token, shown } = await openWith([authorizationDetails({ types: TYPES })])
    const inAcme = { ...token, claims: { org_id: 'acme' } }
    await ask(DELETION, inAcme)
    expect(await decide('allow')).toMatchObject({ status: 200, body: 'answered' })
    expect(Object.keys(shown.request?.terms ?? {})).toEqual(['authorization_details'])
    expect(await stateOf(ask(DELETION, { ...token, claims: { org_id: 'globex' } }))).toBe('waiting')
    expect(await stateOf(ask(DELETION, inAcme))).toBe('allowed')
  })

  it('but without a feature that reads details, no user is asked', async () => {
    const { ask, notices } = await openWith([])
    await expect(ask()).rejects.toThrow('no feature of the server reads authorization_details')
    expect(notices).toEqual([])
  })
})

const otherClient = async (token: AccessToken, service: Service) => ({
  ...token,
  clientId: (await register(service)).clientId,
})

it.each<
  [string, AuthorizationDetail, (token: AccessToken, service: Service) => AccessToken | Promise<AccessToken>]
>([
  ['operation', { ...DELETION, course: 'Go' }, (token) => token],
  ['client', DELETION, otherClient],
  ['user', DELETION, (token) => ({ ...token, subject: 'bob' })],
  ['resource', DELETION, (token) => ({ ...token, resources: [ISSUER] })],
])('an approval counts for no other %s', async (_, operation, callerFrom) => {
  const { ask, decide, stateOf, service, token } = await openToolServer()
  await ask()
  await decide('allow')
  expect(await stateOf(ask(operation, await callerFrom(token, service)))).toBe('waiting')
  expect(await stateOf(ask())).toBe('allowed')
})

describe('an API cannot ask', () => {
  it('while another request of this client waits for the user', async () => {
    const { ask } = await openToolServer()
    await ask()
    await expect(ask({ ...DELETION, course: 'Go' })).rejects.toMatchObject({
      status: 429,
      reason: 'request_open',
    })
  })

  it('a user who denied three requests of this client within a day', async () => {
    const { ask, decide } = await openToolServer()
    for (const course of ['Chess', 'Go', 'Bridge']) {
      await ask({ ...DELETION, course })
      await decide('deny')
    }
    await expect(ask({ ...DELETION, course: 'Whist' })).rejects.toMatchObject({
      ...{ status: 403, reason: 'client_blocked_by_user' },
    })
  })

  it('a second time while the first waits, which counts for nothing', async () => {
    const { ask, decide, stateOf } = await openToolServer()
    await ask()
    const other = { ...DELETION, course: 'Go' }
    for (let n = 0; n < 20; n++) await expect(ask(other)).rejects.toMatchObject({ reason: 'request_open' })
    await decide('allow')
    expect(await stateOf(ask(other))).toBe('waiting')
  })

  it('a user more than ten times an hour', async () => {
    const { ask, decide, stateOf } = await openToolServer()
    for (let n = 0; n < 10; n++) {
      await ask()
      await decide('allow')
      expect(await stateOf(ask())).toBe('allowed')
      if (n < 9) continue
      await expect(ask()).rejects.toMatchObject({ reason: 'too_many_backchannel_requests' })
    }
  })

  it.each([
    ['of no type', { type: 'unknown' }, 'detail_type_unknown'],
    ['of a type that this client may not ask for', { type: 'payment' }, 'detail_type_not_allowed'],
    ['with a wrong field', { ...DELETION, course: 1 }, 'detail_invalid'],
  ])('for an operation %s', async (_, operation, reason) => {
    const { ask } = await openToolServer()
    await expect(ask(operation)).rejects.toMatchObject({ error: 'invalid_authorization_details', reason })
  })

  it('for a client that was removed', async () => {
    const { ask, token, service } = await openToolServer()
    await service.server.clients.remove(token.clientId)
    await expect(ask()).rejects.toMatchObject({ reason: 'client_unknown' })
  })

  it('without a feature that reads details, or without a server', async () => {
    const { ask } = await openToolServer([])
    await expect(ask()).rejects.toThrow('no feature of the server reads authorization_details')
    const feature = backchannelAuthentication({ pages: {} as never, userOf: async () => undefined })
    await expect(feature.ask({} as never)).rejects.toThrow('needs a server with this feature')
  })
})
