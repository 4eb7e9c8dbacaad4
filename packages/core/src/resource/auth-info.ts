import type { AccessToken } from './access.ts'

/**
 * What the SDK of MCP, in either version, calls `AuthInfo`: for `authInfo` of its handlers, or `req.auth`. It holds no
 * token, because tools need none; the user is in `extra`.
 *
 * @param resource the resource that the guard guards
 *
 * @example
 * ```ts
 * import { type AccessToken, toAuthInfo } from '@grantkit/core'
 *
 * // `authInfo` for the handler of an MCP server.
 * export const authInfoOf = (token: AccessToken) => toAuthInfo(token, 'https://notes.example/mcp')
 * ```
 */
export function toAuthInfo({ clientId, scopes, expiresAt, subject }: AccessToken, resource: string) {
  return {
    token: '',
    clientId,
    scopes: [...scopes],
    expiresAt,
    resource: new URL(resource),
    extra: { subject },
  }
}
