import { finished } from 'node:stream'
import { BODY_LIMIT, MESSAGE_ERRORS, OAuthError } from '@grantkit/core/adapter'
import type { Request } from 'express'

const FORM = 'application/x-www-form-urlencoded'

/**
 * The body as text: from the wire, or rebuilt from the result of a parser that the application ran before.
 *
 * @returns the error response, if the client is at fault
 * @throws Error if the application is at fault and the original text cannot be rebuilt
 */
export async function readBody(req: Request): Promise<string | OAuthError> {
  if (Number(req.headers['content-length']) > BODY_LIMIT) return new OAuthError(MESSAGE_ERRORS.body_too_large)
  if (!req.readableDidRead) return bodyOnTheWire(req)
  const body = parsedBody(req)
  if (body instanceof OAuthError) return body
  return Buffer.byteLength(body) > BODY_LIMIT ? new OAuthError(MESSAGE_ERRORS.body_too_large) : body
}

/** Unlike the parsers of Express, it stops reading a body that it refuses. */
function bodyOnTheWire(req: Request): Promise<string | OAuthError> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve) => {
    req.on('data', (chunk: Buffer | string) => {
      // Chunks are text after setEncoding().
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, req.readableEncoding ?? 'utf8') : chunk
      chunks.push(bytes)
      size += bytes.length
      if (size <= BODY_LIMIT) return
      req.pause()
      resolve(new OAuthError(MESSAGE_ERRORS.body_too_large))
    })
    finished(req, { writable: false }, (fault) =>
      resolve(fault ? new OAuthError(MESSAGE_ERRORS.body_unreadable) : Buffer.concat(chunks).toString()),
    )
  })
}

/** Encodes the parsed body again, if core reads the same result from it as from the original. */
function parsedBody(req: Request): string | OAuthError {
  const body: unknown = req.body
  const { 'content-length': length, 'content-type': type } = req.headers
  if (Buffer.isBuffer(body)) return body.toString()
  // Text of another length came from another charset, or is a JSON string without its quotes.
  if (typeof body === 'string' && Buffer.byteLength(body) === Number(length)) return body
  if (typeof body === 'object' && body !== null) {
    if (req.is(['json', '+json'])) return JSON.stringify(body)
    if (req.is(FORM)) {
      if (Object.values(body).some(hadBrackets)) return new OAuthError(MESSAGE_ERRORS.body_unreadable)
      const fields = flatFields(body)
      if (fields !== undefined) return String(new URLSearchParams(fields))
    }
  }
  throw new Error(
    `A body of type ${type} was read before authorizationServer() saw it, and the original bytes cannot be restored from ` +
      'what is left: mount authorizationServer() before the parsers of bodies',
  )
}

/** A parser with `extended: true` makes `a[]=b` a list of one, and `a[b]=c` an object. Clients send neither. */
function hadBrackets(value: unknown): boolean {
  if (Array.isArray(value)) return value.length < 2 || value.some(hadBrackets)
  return typeof value === 'object' && value !== null
}

/** The pairs of a form; `undefined` when a field is neither text nor a list of texts. */
function flatFields(body: object): [string, string][] | undefined {
  const pairs = Object.entries(body).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
  return pairs.every(([, value]) => typeof value === 'string') ? (pairs as [string, string][]) : undefined
}
