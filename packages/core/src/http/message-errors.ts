/** Apart from message.ts: what names these errors needs no schemas, and a guard loads no package. */
import { defineErrors } from '../kernel/oauth-error.ts'

/**
 * The errors of messages that cannot be read. They are in `ERRORS` too; an adapter that names all of those would bring the code of every
 * feature into a bundle.
 *
 * @example
 * ```ts
 * import { OAuthError } from '@grantkit/core'
 * import { BODY_LIMIT, MESSAGE_ERRORS } from '@grantkit/core/adapter'
 *
 * export function requireSmall(body: string): void {
 *   if (Buffer.byteLength(body) > BODY_LIMIT) throw new OAuthError(MESSAGE_ERRORS.body_too_large)
 * }
 * ```
 */
export const MESSAGE_ERRORS = defineErrors({
  message_invalid: ['invalid_request', 'A parameter of the request is missing, repeated or malformed'],
  media_type_unsupported: [
    'invalid_request',
    'Unsupported Content-Type. Send application/x-www-form-urlencoded, or application/json to register a client',
    415,
  ],
  body_unreadable: ['invalid_request', 'The body could not be read. Check its encoding and Content-Length'],
  body_too_large: ['invalid_request', 'The body is too large. Send at most 64 KiB', 413],
  parameters_too_many: ['invalid_request', 'The request has too many parameters. Send at most 100'],
})
