import { FetchFailure } from './fetch-failure.ts'

export interface Body {
  /** The `Content-Encoding`. */
  readonly encoding: string | undefined
  /** The `Content-Length`. */
  readonly length: string | undefined
  readonly chunks: AsyncIterable<Uint8Array>
}

/** @throws FetchFailure for a body that is too large, compressed, or not UTF-8 */
export async function textOf(
  { encoding = 'identity', length: announced = '0', chunks }: Body,
  maxBytes: number,
): Promise<string> {
  if (encoding.toLowerCase() !== 'identity')
    throw new FetchFailure('encoding', `The body is encoded: ${encoding}`)
  const tooLarge = new FetchFailure('size', `The body is larger than ${maxBytes} bytes`)
  if (Number(announced) > maxBytes) throw tooLarge
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge
    parts.push(chunk)
  }
  return decoded(Buffer.concat(parts))
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw new FetchFailure('encoding', 'The body is not UTF-8', thrown)
  }
}
