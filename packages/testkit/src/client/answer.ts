import type { HttpResponse } from '@grantkit/core'

/** An answer to the client: its status, the members of its JSON body, and the raw response. */
export interface Answer<R extends HttpResponse = HttpResponse> {
  readonly status: number
  readonly error?: string
  readonly error_description?: string
  readonly active?: boolean
  readonly response: R
}

/** RFC 6749 5.1, OpenID Connect Core 3.1.3.3. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
  readonly id_token?: string
}

/** The answer to a registration (RFC 7591 3.2.1). */
export interface RegisteredClient {
  readonly client_id: string
  readonly client_secret?: string | undefined
  readonly redirect_uris: readonly string[]
}

export interface Approval {
  readonly code: string
  /** The PKCE verifier that goes with the code. */
  readonly verifier: string
}

/** A body that is not JSON, such as a page, has no members. */
export function answerOf<R extends HttpResponse, Members>(response: R): Answer<R> & Partial<Members> {
  return { ...(membersOf(response.body) as Partial<Members>), status: response.status, response }
}

function membersOf(body: string): object {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}
