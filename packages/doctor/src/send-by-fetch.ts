import type { HttpResponse } from '@grantkit/core'
import type { Probe } from './evidence.ts'

const PATIENCE_MS = 10_000
/** In bytes. */
const MAX_BODY = 1024 * 1024

/**
 * Sends a probe over the network. Rejects when no answer comes within ten seconds, or one that is encoded, since a few
 * bytes can become any number, or longer than 1 MiB.
 *
 * @example
 * ```ts
 * import { diagnose, sendByFetch } from '@grantkit/doctor'
 *
 * const findings = await diagnose('https://auth.example', sendByFetch, { register: false })
 * ```
 */
export async function sendByFetch(probe: Probe): Promise<HttpResponse> {
  const response = await answerTo(probe)
  const encoding = response.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    await response.body?.cancel()
    throw new Error(`The answer is encoded as ${encoding}`)
  }
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await bodyOf(response),
  }
}

/** The reason why nothing answers at an address; `undefined` when something does, whatever it says. */
export async function unreachableReason(url: string): Promise<string | undefined> {
  try {
    const { body } = await answerTo({ method: 'GET', url })
    await body?.cancel()
    return undefined
  } catch (error) {
    const { message, cause } = error as Error
    if (!(cause instanceof Error)) return message
    // If every address of a host name failed, Node gives a code and no message.
    return cause.message || ('code' in cause && String(cause.code)) || message
  }
}

function answerTo({ method, url, headers = {}, body }: Probe): Promise<Response> {
  return fetch(url, {
    method,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('The answer is longer than 1 MiB')
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
