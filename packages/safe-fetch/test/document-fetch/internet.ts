import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { Names } from './names.ts'

type Connect = typeof net.Socket.prototype.connect

/**
 * A simulated internet within this process. The test defines names and addresses for every use of `node:dns` and
 * `node:net`, so the fetch under test runs as it does in production. No packet leaves the machine.
 */
export class Internet {
  readonly names = new Names()
  /** Every address and port of a connection attempt: `9.9.9.9:443`. */
  readonly dialled: string[] = []
  readonly #routes = new Map<string, number>()
  readonly #undo: (() => void)[] = []

  /** Packets to this address and port go to a port of this machine. */
  route(place: string, localPort: number): void {
    this.#routes.set(place, localPort)
  }

  /** Takes the place of the real one. */
  open(): void {
    for (const [owner, functions] of this.names.functions()) this.#replace(owner, functions)
    this.#replace(net.Socket.prototype, { connect: this.#connectInstead(net.Socket.prototype.connect) })
    syncBuiltinESMExports()
  }

  close(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo()
    syncBuiltinESMExports()
  }

  forget(): void {
    this.names.forget()
    this.dialled.length = 0
    this.#routes.clear()
  }

  #replace(owner: object, functions: object): void {
    const saved = Object.fromEntries(Object.keys(functions).map((name) => [name, Reflect.get(owner, name)]))
    Object.assign(owner, functions)
    this.#undo.push(() => Object.assign(owner, saved))
  }

  #connectInstead(connect: Connect): Connect {
    const internet = this
    return function (this: net.Socket, ...given: unknown[]) {
      const [options, listener] = connectArguments(given)
      const { host = 'localhost', port } = options
      const dial = (error: Error | null, found?: string | readonly dns.LookupAddress[]) => {
        const address = typeof found === 'string' ? found : found?.[0]?.address
        if (error !== null || address === undefined)
          return void this.destroy(error ?? new Error(`No address of ${host}`))
        const place = `${address}:${port}`
        internet.dialled.push(place)
        const localPort = internet.#routes.get(place)
        if (localPort === undefined) return void this.destroy(refused(place))
        Object.defineProperty(this, 'remoteAddress', { value: address })
        Reflect.apply(connect, this, [
          { ...options, host: '127.0.0.1', port: localPort, lookup: undefined },
          listener,
        ])
      }
      if (net.isIP(host) === 0) (options.lookup ?? dns.lookup)(host, { all: true }, dial)
      else process.nextTick(dial, null, host)
      return this
    } as Connect
  }
}

type ConnectOptions = net.TcpSocketConnectOpts

/** `connect` is called with options, with port and host, and within Node with a list of both. */
function connectArguments(given: readonly unknown[]): [ConnectOptions, unknown] {
  const [first, second, ...more] = Array.isArray(given[0]) ? given[0] : given
  if (typeof first === 'object') return [first as ConnectOptions, second]
  return [
    { port: first as number, host: typeof second === 'string' ? second : 'localhost' },
    [second, ...more].at(-1),
  ]
}

function refused(place: string): Error {
  return Object.assign(new Error(`connect ECONNREFUSED ${place}`), { code: 'ECONNREFUSED' })
}
