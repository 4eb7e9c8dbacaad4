import { createHash } from 'node:crypto'
import type {
  AuthorizationServerOptions,
  ConsentView,
  ErrorView,
  HttpRequest,
  HttpResponse,
} from '@grantkit/core'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { clientDocuments } from '@grantkit/core/client-documents'
import { type DeviceView, device, type UserCodeView } from '@grantkit/core/device'
import { dpop } from '@grantkit/core/dpop'
import { forwardAuth } from '@grantkit/core/forward-auth'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { type LogoutView, logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { ISSUER, type Message, openService, type Service, type ServiceScope } from '../service.ts'
import { ED25519_KEY, RSA_KEY } from './published-keys.ts'

/** The service with every feature, whose responses depend only on the requests before. */
export interface Recording {
  readonly service: Service
  /** Sends a request, and records its answer below this title. */
  ask(title: string, method: string, path: string, message?: Message): Promise<HttpResponse>
  readonly text: () => string
}

export const MCP = `${ISSUER}/mcp`

export function newRecording(settings: Partial<AuthorizationServerOptions<ServiceScope>> = {}): Recording {
  const keys = [RSA_KEY, ED25519_KEY]
  const interaction = readablePages(() => service)
  const service: Service = openService({
    keys,
    random: repeatableRandom(),
    interaction,
    features: [
      pushedAuthorizationRequests(),
      device(interaction),
      clientCredentials(),
      tokenExchange(),
      dpop(),
      forwardAuth(),
      logout(interaction),
      clientAssertion(),
      clientDocuments({ fetch: async () => ({ status: 404, headers: {}, body: '' }) }),
      jwtAccessTokens({ resources: { [MCP]: { alg: 'EdDSA' } } }),
      revocationFeed(),
    ],
    ...settings,
  })
  const sections: string[] = []
  async function ask(title: string, method: string, path: string, message?: Message) {
    service.events.length = 0
    const answer = await service.send(method, path, message)
    sections.push([`# ${title}`, `${method} ${path}`, ...events(service), ...linesOf(answer)].join('\n'))
    return answer
  }
  return { service, ask, text: () => `${sections.join('\n\n')}\n` }
}

/** One sequence per size, so that one more identifier does not change every secret. */
function repeatableRandom() {
  const drawn = new Map<number, number>()
  return (size: number): Uint8Array => {
    const count = drawn.get(size) ?? 0
    drawn.set(size, count + 1)
    return createHash('sha256').update(`${size} ${count}`).digest().subarray(0, size)
  }
}

/** Pages that print their name, and what their form needs. The cookie `user=alice` is Alice. */
function readablePages(service: () => Service) {
  const page = (
    name: string,
    { action, ticket }: { action?: string; ticket?: string } = {},
    status = 200,
  ) => {
    const body = JSON.stringify({ page: name, action, ticket })
    return { status, headers: { 'content-type': 'text/html' }, body }
  }
  return {
    async session({ headers }: Pick<HttpRequest, 'headers'>) {
      const subject = /^user=(\w+)$/.exec(String(headers.cookie))?.[1]
      return subject === undefined ? undefined : { id: subject, subject, authTime: 1_800_000_000 }
    },
    signIn: (returnTo: string) => page(`sign-in before ${returnTo}`),
    consentPage(view: ConsentView) {
      service().shown.consent = view
      return page('consent', view)
    },
    errorPage: ({ status, reason }: ErrorView) => page(`error ${reason}`, {}, status),
    userCodePage: (view: UserCodeView) => page('user code', view),
    devicePage: (view: DeviceView) => page('device', view),
    deviceAnsweredPage: () => page('answered'),
    endSession: async () => 'user=; Max-Age=0',
    logoutPage: (view: LogoutView) => page('logout', view),
    signedOutPage: () => page('signed out'),
  }
}

/** The events of a request. */
function events({ events }: Service): string[] {
  return events.map((event) => `* ${event.type}${'reason' in event ? ` ${event.reason}` : ''}`)
}

function linesOf({ status, headers, body }: HttpResponse): string[] {
  const fields = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  )
  return [String(status), ...fields, ...(body === '' ? [] : [body])]
}
