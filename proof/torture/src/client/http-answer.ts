import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { OutOfBudget } from './budget.ts'
import { HostRefused } from './hosts.ts'

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const MAX_BODY = 1024 * 1024

/** No answer is a result of a race, so it does not reject. */
export async function answerOf(sent: ClientRequest, timeoutMs: number): Promise<HttpAnswer | undefined> {
  const timer = setTimeout(() => sent.destroy(), timeoutMs)
  try {
    return await new Promise<HttpAnswer | undefined>((resolve, reject) => {
      sent.once('error', reject)
      sent.once('close', () => resolve(undefined))
      sent.once('response', (response) => resolve(read(response)))
    })
  } catch (error) {
    if (error instanceof HostRefused || error instanceof OutOfBudget) throw error
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

async function read(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += chunk.length
    if (size > MAX_BODY) throw new Error('The answer is longer than 1 MiB')
    chunks.push(chunk)
  }
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, body: String(Buffer.concat(chunks)) }
}

/** At the token endpoint in the body, at a resource in the challenge (RFC 9449 sections 8 and 9). */
export function demandsNonce(answer: HttpAnswer | undefined): boolean {
  const challenge = answer?.headers['www-authenticate'] ?? ''
  return `${answer?.body} ${challenge}`.includes('use_dpop_nonce')
}
