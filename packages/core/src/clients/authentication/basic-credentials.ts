import { type HttpRequest, header } from '../../http/http.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'

export const BASIC_ERRORS = defineErrors({
  client_basic_malformed: [
    'invalid_client',
    'The Authorization header is not HTTP Basic. Send Basic and the base64 of client_id:client_secret',
  ],
  client_basic_of_other_client: [
    'invalid_request',
    'client_id differs from the one in the Authorization header. Send only one',
  ],
  client_basic_not_offered: [
    'invalid_client',
    'HTTP Basic is not supported here. Send client_id and client_secret in the body',
  ],
})

export interface BasicCredentials {
  readonly client_id: string
  /** Absent if it is empty: an empty password is no secret (RFC 6749 2.3.1). */
  readonly client_secret: string | undefined
}

const CONTROL = /\p{Cc}/u
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The client credentials of HTTP Basic (RFC 6749 2.3.1, RFC 7617 2), or `undefined` for another scheme.
 *
 * @throws OAuthError `invalid_client` when they are malformed
 */
export function basicCredentials(request: HttpRequest): BasicCredentials | undefined {
  const value = header(request, 'authorization')
  const token = value === undefined ? undefined : /^basic(?: +|$)(.*)$/i.exec(value)?.[1]
  if (token === undefined) return undefined
  const [, id = '', secret = ''] = /^([^:]+):(.*)/s.exec(textOf(token) ?? '') ?? []
  const [client_id, client_secret] = [formDecoded(id), formDecoded(secret)]
  if (client_id === '' || CONTROL.test(client_id + client_secret))
    throw new OAuthError(BASIC_ERRORS.client_basic_malformed)
  return { client_id, client_secret: client_secret === '' ? undefined : client_secret }
}

/** The UTF-8 text of strict base64 (RFC 4648 3), or `undefined`. */
function textOf(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

/** RFC 6749 appendix B. Many clients skip this encoding, so text that is not encoded stays as it is. */
function formDecoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}
