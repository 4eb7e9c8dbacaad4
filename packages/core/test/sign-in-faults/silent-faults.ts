import { authorizationQuery, authorize, decide, redeem, redirectOf, register } from '../client.ts'
import type { Service } from '../service.ts'
import { type Fault, pageOf } from './fault.ts'

/** The consent page of a client that has registered as usual. */
async function consentPage(service: Service): Promise<Service['shown']> {
  const { clientId } = await register(service)
  return pageOf(service, authorizationQuery(clientId))
}

/** The app begins another attempt for the same user. */
function requestedAgain(service: Service, { consent }: Service['shown']): Promise<unknown> {
  service.clock.now += 2
  const clientId = consent?.client.clientId ?? ''
  return authorize(service, authorizationQuery(clientId, { code_challenge: 'x'.repeat(43) }))
}

/** No request is refused: a step does not come, comes too late, or comes again. */
export const SILENT_FAULTS: readonly Fault[] = [
  {
    fault: 'the user approves, and no token request comes',
    provoke: async (service) => {
      const page = await consentPage(service)
      await decide(service)
      service.clock.now += 60
      return page
    },
    verdict: 'code_not_redeemed',
  },
  {
    fault: 'the consent page is open for too long',
    provoke: async (service) => {
      const page = await consentPage(service)
      service.clock.now += 601
      await decide(service)
      return page
    },
    verdict: 'consent_ticket_invalid',
  },
  {
    fault: 'the token is good, and no call reaches the API',
    provoke: async (service) => {
      const page = await consentPage(service)
      const { code = '' } = redirectOf(await decide(service))
      await redeem(service, { clientId: page.consent?.client.clientId ?? '' }, code)
      service.clock.now += 120
      return page
    },
    verdict: 'token_not_used',
  },
  {
    fault: 'the cookie of the sign-in is lost',
    provoke: async (service) => {
      const { clientId } = await register(service)
      const query = authorizationQuery(clientId)
      for (const _ of ['first', 'second', 'third']) await authorize(service, query, {})
      return undefined
    },
    verdict: 'sign_in_repeated',
  },
  {
    fault: 'the user denies, and the app requests access again at once',
    provoke: async (service) => {
      const page = await consentPage(service)
      const denied = await decide(service, { decision: 'deny' })
      await requestedAgain(service, page)
      return denied
    },
    verdict: 'requested_after_denial',
  },
  {
    fault: 'the app loses its state',
    provoke: async (service) => {
      const page = await consentPage(service)
      await decide(service)
      await requestedAgain(service, page)
      return page
    },
    verdict: 'requested_after_code',
  },
  {
    fault: 'nothing comes after the registration: the host is closed to the network of the vendor',
    provoke: async (service) => {
      await register(service)
      service.clock.now += 600
      return undefined
    },
    verdict: 'never_requested',
  },
]
