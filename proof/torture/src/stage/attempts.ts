import type { Attempt } from '../bursts/attempt.ts'
import type { Client } from '../client/client-authentication.ts'
import type { Bench } from './bench.ts'
import type { Grant } from './grant.ts'
import { clientRequest, type Fields, secret } from './requests.ts'

/** Who sends a request, to where, and what is wrong with it on purpose. */
export interface How {
  /** Default: `app`. */
  readonly process?: string | undefined
  readonly replica?: string | undefined
  /** Another client than that of the grant. */
  readonly client?: Client | undefined
  readonly scope?: readonly string[] | undefined
  readonly forbidden?: string | undefined
  /** Presents a code without proof of possession. */
  readonly wrongVerifier?: boolean | undefined
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The requests of a grant, ready to be sent. */
export class Attempts {
  readonly #bench: Bench

  constructor(bench: Bench) {
    this.#bench = bench
  }

  redeem(grant: Grant, how: How = {}): Attempt {
    const verifier = how.wrongVerifier ? secret() : grant.verifier
    const fields = {
      grant_type: 'authorization_code',
      code: grant.code,
      redirect_uri: this.#bench.redirectUri,
    }
    const forbidden = how.wrongVerifier ? 'a wrong PKCE verifier' : how.forbidden
    return this.#atToken('redeem', grant, { ...fields, code_verifier: verifier }, { ...how, forbidden })
  }

  poll(grant: Grant, how: How = {}): Attempt {
    return this.#atToken(
      'poll',
      grant,
      { grant_type: DEVICE_CODE, device_code: grant.device?.deviceCode },
      how,
    )
  }

  refresh(grant: Grant, token: string, how: How = {}): Attempt {
    const scope = how.scope?.join(' ')
    return this.#atToken('refresh', grant, { grant_type: 'refresh_token', refresh_token: token, scope }, how)
  }

  exchange(grant: Grant, token: string, how: How = {}): Attempt {
    const subject = { subject_token: token, subject_token_type: ACCESS_TOKEN, scope: how.scope?.join(' ') }
    return this.#atToken('exchange', grant, { grant_type: TOKEN_EXCHANGE, ...subject }, how)
  }

  revoke(grant: Grant, token: string, how: How = {}): Attempt {
    return this.#byClient('revoke', grant, this.#bench.endpoints.revocation, { token }, how)
  }

  introspect(grant: Grant, token: string, how: How = {}): Attempt {
    return this.#byClient('introspect', grant, this.#bench.endpoints.introspection, { token }, how)
  }

  /** Calls the resource of the run: the userinfo endpoint, unless another is named. */
  use(grant: Grant, token: string, how: How = {}): Attempt {
    const url = this.#bench.endpoints.userinfo ?? ''
    const { dpopKey: key } = how.client ?? grant.client
    const scheme = key === undefined ? 'Bearer' : 'DPoP'
    const headers = { authorization: `${scheme} ${token}`, accept: 'application/json' }
    const request = { method: 'GET', url, headers, possession: key && { key, token } } as const
    return { ...this.#base('use', grant, token, how), request }
  }

  /** OpenID Connect RP-Initiated Logout 1.0. */
  logOut(grant: Grant, idToken: string, how: How = {}): Attempt {
    const url = new URL(this.#bench.endpoints.endSession ?? '')
    url.searchParams.set('id_token_hint', idToken)
    url.searchParams.set('client_id', grant.client.id)
    return { ...this.#base('logout', grant, undefined, how), request: { method: 'GET', url: url.href } }
  }

  #atToken(f: Attempt['f'], grant: Grant, fields: Fields, how: How): Attempt {
    const attempt = this.#byClient(f, grant, this.#bench.endpoints.token, fields, how)
    const limit = grant.scope.length > 0 ? { limit: grant.scope } : {}
    const { dpopKey: key } = how.client ?? grant.client
    const request = { ...attempt.request, possession: key && { key } }
    return { ...attempt, ...limit, request, scope: how.scope ?? grant.scope }
  }

  #byClient(f: Attempt['f'], grant: Grant, url = '', fields: Fields, how: How): Attempt {
    const key =
      fields.code ?? fields.device_code ?? fields.refresh_token ?? fields.subject_token ?? fields.token
    const client = how.client ?? grant.client
    return { ...this.#base(f, grant, key, how), request: clientRequest(this.#bench, url, client, fields) }
  }

  #base(
    f: Attempt['f'],
    { family, client }: Grant,
    key: string | undefined,
    how: How,
  ): Omit<Attempt, 'request'> {
    const { process = 'app', replica = this.#anyReplica(), forbidden } = how
    return { process, f, family, key, replica, forbidden, client: how.client ?? client }
  }

  /** Requests go around all replicas. */
  #anyReplica(): string | undefined {
    const { replicas, random } = this.#bench
    return replicas.length === 0 ? undefined : random.pick(replicas)
  }
}
