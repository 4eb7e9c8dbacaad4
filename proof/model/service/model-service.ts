import type { ServerEvent, Store } from '@grantkit/core'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import type { GrantId, Secret } from '@grantkit/core/feature'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'
import { findRequest } from '../../../packages/core/src/grants/decoupled-request.ts'
import type { RefreshTokenSecret } from '../../../packages/core/src/grants/refresh-token-state.ts'
import {
  formatRefreshToken,
  opaqueAccessTokens,
  parseCode,
  parseDecoupledCode,
  parseRefreshToken,
} from '../../../packages/core/src/tokens/credential.ts'
import type { NowAt, Presented, Replicas } from '../core/replicas.ts'
import type { Gate, Progress } from '../core/request.ts'
import { CHALLENGE, VERIFIER } from '../core/terms.ts'
import type { Form } from './model-pages.ts'
import { type OnItsWay, REDIRECT_URI, SCOPE, type Servers, startServers } from './model-servers.ts'

const DEVICE_PAGE = '/oauth/device'

interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string
  readonly error?: string
}

/** Opens the page that the user answers: for an app, or for a device. @param nowAt the clock of a replica */
export async function openService(store: Store, nowAt: NowAt, isDevice: boolean): Promise<Replicas> {
  const servers = await startServers(store, nowAt)
  const { clientId: client_id, pages } = servers
  if (!isDevice) {
    await servers.send(0, `/oauth/authorize?${new URLSearchParams({ client_id, ...REQUEST })}`)
    return new Service(servers, pages.form('consent'))
  }
  const begun = await servers.send(0, '/api/oauth/device_authorization', { client_id, scope: SCOPE })
  const { device_code, user_code } = (await begun.json()) as Record<'device_code' | 'user_code', string>
  await servers.send(0, DEVICE_PAGE)
  await servers.send(0, DEVICE_PAGE, { ticket: pages.form('user code').ticket, user_code })
  return new Service(servers, pages.form('device'), device_code)
}

const REQUEST = {
  ...{ response_type: 'code', redirect_uri: REDIRECT_URI, scope: SCOPE, state: 'state' },
  ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
}

/** Two replicas of a whole server. Each action of the model is a request of a browser, an app or a device. */
class Service implements Replicas {
  readonly #servers: Servers
  readonly #form: Form
  readonly #deviceCode: string | undefined
  #code: string | undefined

  constructor(servers: Servers, form: Form, deviceCode?: string) {
    this.#servers = servers
    this.#form = form
    this.#deviceCode = deviceCode
  }

  get grantId(): GrantId | undefined {
    return (parseDecoupledCode(this.#deviceCode ?? '') ?? parseCode(this.#code ?? ''))?.grantId
  }

  async approve(replica: number): Promise<void> {
    const location = (await this.#decide(replica, 'allow')).headers.get('location')
    this.#code ??= (location && new URL(location, REDIRECT_URI).searchParams.get('code')) || undefined
  }

  async deny(replica: number): Promise<void> {
    await this.#decide(replica, 'deny')
  }

  async allowDevice(replica: number, losesGrant: boolean): Promise<void> {
    await this.#decide(replica, 'allow', { losesGrant })
  }

  async denyDevice(replica: number): Promise<void> {
    await this.#decide(replica, 'deny')
  }

  async decision(): Promise<string> {
    const code = parseDecoupledCode(this.#deviceCode ?? '')
    const { transients } = this.#servers.store
    const request = code && transients && (await findRequest({ transients, kind: 'device' }, code.requestId))
    if (request === undefined) return 'none'
    const { decision } = request
    return decision === undefined ? 'pending' : decision.scopes.length > 0 ? 'allowed' : 'denied'
  }

  async arrive(presented: Presented, replica: number, gate: Gate): Promise<Progress> {
    const events: ServerEvent[] = []
    const answer = await this.#token(replica, this.#formOf(presented), { gate, events })
    if (answer.error !== undefined)
      return { kind: answer.error === 'authorization_pending' ? 'pending' : 'refused' }
    const [retried] = events.flatMap((event) => ('retried' in event && event.retried ? [event.retried] : []))
    const refreshToken = parseRefreshToken(answer.refresh_token ?? '')
    return { kind: 'answered', result: { accessToken: secretOf(answer), refreshToken, retried } }
  }

  async revoke(token: RefreshTokenSecret | undefined): Promise<void> {
    const grantId = this.#known()
    if (token === undefined) await this.#servers.revokeGrant(grantId)
    else await this.#revoke(0, formatRefreshToken({ ...token, grantId }))
  }

  async revokeAccess(secret: Secret, replica: number): Promise<void> {
    await this.#revoke(replica, opaqueAccessTokens.write({ grantId: this.#known(), secret }))
  }

  async exchange(secret: Secret, replica: number): Promise<Secret> {
    const subject_token = opaqueAccessTokens.write({ grantId: this.#known(), secret })
    const form = { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN_TYPE }
    return secretOf(await this.#token(replica, form))
  }

  #formOf({ kind, token }: Presented): Record<string, string> {
    if (token !== undefined) {
      const refresh_token = formatRefreshToken({ ...token, grantId: this.#known() })
      return { grant_type: 'refresh_token', refresh_token }
    }
    if (kind === 'poll') return { grant_type: DEVICE_CODE_GRANT, device_code: String(this.#deviceCode) }
    const code_verifier = kind === 'wrong verifier' ? 'w'.repeat(43) : VERIFIER
    // A request that was denied has no code.
    const code = this.#code ?? `gkc_${'x'.repeat(22)}.${'x'.repeat(43)}`
    return { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code, code_verifier }
  }

  #known(): GrantId {
    if (this.grantId === undefined) throw new Error('There is no grant')
    return this.grantId
  }

  #decide(replica: number, decision: string, way?: Partial<OnItsWay>): Promise<Response> {
    const { action, ticket } = this.#form
    return this.#servers.send(replica, action, { ticket, decision, scope: SCOPE }, way)
  }

  async #token(replica: number, form: Record<string, string>, way?: Partial<OnItsWay>): Promise<TokenAnswer> {
    const { clientId: client_id } = this.#servers
    const answer = await this.#servers.send(replica, '/api/oauth/token', { ...form, client_id }, way)
    return (await answer.json()) as TokenAnswer
  }

  async #revoke(replica: number, token: string): Promise<void> {
    await this.#servers.send(replica, '/api/oauth/revoke', { token, client_id: this.#servers.clientId })
  }
}

function secretOf({ access_token, error }: TokenAnswer): Secret {
  if (error !== undefined) throw new Error(`The server answered ${error}`)
  return access_token.slice(access_token.indexOf('.') + 1) as Secret
}
