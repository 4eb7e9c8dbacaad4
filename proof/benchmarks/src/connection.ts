import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Called with the answer; the connection is then free for the next request. */
type Answered = (status: number, body: Buffer, head: string) => void

const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)/i

/**
 * A keep-alive connection with one request at a time. It parses just enough HTTP/1.1 to find the end of an answer, so
 * that the generator costs as little as possible.
 */
export class Connection {
  readonly #socket: Socket
  #waiting: Answered | undefined
  #received: Buffer = Buffer.alloc(0)

  static async open(port: number, failed: (error: Error) => void): Promise<Connection> {
    const connection = new Connection(port, failed)
    await once(connection.#socket, 'connect')
    return connection
  }

  private constructor(port: number, failed: (error: Error) => void) {
    // `onread` reads into one buffer and avoids the cost of a stream.
    const onread = {
      buffer: Buffer.allocUnsafe(64 * 1024),
      callback: (size: number, buffer: Uint8Array) =>
        this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, size)),
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket.on('error', failed)
    this.#socket.on('close', () => {
      if (this.#waiting !== undefined)
        failed(new Error('The server closed a connection instead of answering'))
    })
  }

  send(request: Buffer, answered: Answered): void {
    this.#waiting = answered
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(chunk: Buffer): boolean {
    const bytes = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const message = messageOf(bytes)
    if (message === undefined) {
      this.#received = Buffer.from(bytes)
      return true
    }
    if (this.#received.length > 0) this.#received = Buffer.alloc(0)
    const answered = this.#waiting
    this.#waiting = undefined
    answered?.(statusOf(bytes), message.body, message.head)
    return true
  }
}

function statusOf(bytes: Buffer): number {
  return Number(bytes.toString('latin1', 9, 12))
}

/** The head and a copy of the body, or `undefined` while they are incomplete. */
function messageOf(bytes: Buffer): { readonly head: string; readonly body: Buffer } | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const start = headEnd + HEAD_END.length
  const length = LENGTH.exec(head)?.[1]
  if (length === undefined) throw new Error(`An answer without its length:\n${head}`)
  const end = start + Number(length)
  return bytes.length < end ? undefined : { head, body: Buffer.from(bytes.subarray(start, end)) }
}
