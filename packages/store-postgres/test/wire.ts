import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The server's answer to the next messages of a connection. */
interface Fault {
  /** SQLSTATE. */
  readonly code: string
  /** Whether the server carries the statement out before its answer is replaced by the error. */
  readonly executed: boolean
}

/** A connection to a real Postgres on which single statements fail, as another engine would let them fail. */
export interface Wire {
  readonly port: number
  /** Everything that clients sent, one statement each. */
  readonly sent: string[]
  /** Decides about each statement, by its text and name. */
  fault: (sent: string) => Fault | undefined
  /** Makes another text of the same length of what a client sent, which Postgres understands. */
  translate: (sent: string) => string
  close(): Promise<void>
}

const TYPE_BYTES = 1
const QUERY = 'Q'
const SYNC = 'S'
const COMMAND_COMPLETE = 'C'

export async function startWire(targetPort: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => [client, upstream].map((end) => end.destroy()))
    }
    let replaced: Fault | undefined
    let statement = ''
    const fromClient = messages(0)
    const fromServer = messages(TYPE_BYTES)
    client.on('data', (bytes) => {
      for (const message of fromClient(bytes)) {
        statement += message.toString('latin1')
        const type = message.toString('latin1', 0, TYPE_BYTES)
        if (type !== QUERY && type !== SYNC && !isStartup(message)) continue
        const fault = wire.fault(statement)
        wire.sent.push(statement)
        if (fault !== undefined && !fault.executed) client.write(failure(fault.code, true))
        else upstream.write(wire.translate(statement), 'latin1')
        replaced = fault
        statement = ''
      }
    })
    upstream.on('data', (bytes) => {
      for (const message of fromServer(bytes)) {
        const completes = message.toString('latin1', 0, TYPE_BYTES) === COMMAND_COMPLETE
        client.write(replaced !== undefined && completes ? failure(replaced.code, false) : message)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const wire: Wire = {
    port: (server.address() as AddressInfo).port,
    sent: [],
    fault: () => undefined,
    translate: (sent) => sent,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return wire
}

/** The first message of a client has no type. */
function isStartup(message: Buffer): boolean {
  return message[0] === 0
}

/** Cuts bytes into messages. @param typeBytes of the first message */
function messages(typeBytes: number): (bytes: Buffer) => Generator<Buffer> {
  let before = typeBytes
  let rest = Buffer.alloc(0)
  return function* (bytes) {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= before + 4) {
      const end = before + rest.readInt32BE(before)
      if (rest.length < end) return
      yield rest.subarray(0, end)
      rest = rest.subarray(end)
      before = TYPE_BYTES
    }
  }
}

/** @param alone followed by ReadyForQuery, which a server sends itself after a statement that it carries out */
function failure(code: string, alone: boolean): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0Minjected ${code}\0\0`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + fields.length)
  const ready = alone ? Buffer.from('Z\0\0\0\x05I', 'latin1') : Buffer.alloc(0)
  return Buffer.concat([Buffer.from('E'), length, fields, ready])
}
