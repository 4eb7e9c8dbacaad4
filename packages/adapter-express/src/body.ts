import { finished } from 'node:stream'
import { BODY_LIMIT, OAuthError, REFUSALS } from '@grantkit/core'
import type { Request } from 'express'

const FORM = 'application/x-www-form-urlencoded'

/**
 * The body as text: from the wire or, where a parser of the application has read it, from what that one made of it.
 *
 * @returns the refusal when the client is at fault
 * @throws Error when the application is, and what was sent cannot be told any more
 */
export async function readBody(req: Request): Promise<string | OAuthError> {
  if (Number(req.headers['content-length']) > BODY_LIMIT) return new OAuthError(REFUSALS.body_too_large)
  if (!req.readableDidRead) return bodyOnTheWire(req)
  const body = parsedBody(req)
  return Buffer.byteLength(body) > BODY_LIMIT ? new OAuthError(REFUSALS.body_too_large) : body
}

/** Unlike the parsers of Express, it does not read to its end what it refuses. */
function bodyOnTheWire(req: Request): Promise<string | OAuthError> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    req.on('data', (chunk: Buffer | string) => {
      // Text where somebody has called setEncoding().
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, req.readableEncoding ?? 'utf8') : chunk
      chunks.push(bytes)
      size += bytes.length
      if (size <= BODY_LIMIT) return
      req.pause()
      resolve(new OAuthError(REFUSALS.body_too_large))
    })
    finished(req, { writable: false }, (fault) =>
      resolve(fault ? new OAuthError(REFUSALS.body_unreadable) : Buffer.concat(chunks).toString()),
    )
  })
}

/** Encodes again what was parsed, where core reads the same out of it as out of what was sent. */
function parsedBody(req: Request): string {
  const body: unknown = req.body
  const { 'content-length': length, 'content-type': type } = req.headers
  if (Buffer.isBuffer(body)) return body.toString()
  // Text of another length was decoded from another charset, or is a JSON string without its quotes.
  if (typeof body === 'string' && Buffer.byteLength(body) === Number(length)) return body
  if (typeof body === 'object' && body !== null) {
    if (req.is(['json', '+json'])) return JSON.stringify(body)
    const fields = req.is(FORM) ? flatFields(body) : undefined
    if (fields !== undefined) return String(new URLSearchParams(fields))
  }
  throw new Error(
    `A body of type ${type} was read before authorizationServer() saw it, and what was sent cannot be told from ` +
      'what is left: mount authorizationServer() before the parsers of bodies',
  )
}

/** The pairs of a form; `undefined` when a field is neither text nor a list of texts. */
function flatFields(body: object): [string, string][] | undefined {
  const pairs = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
  return pairs.every(([, value]) => typeof value === 'string') ? (pairs as [string, string][]) : undefined
}
