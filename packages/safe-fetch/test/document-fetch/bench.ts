import { once } from 'node:events'
import type { TlsOptions } from 'node:tls'
import type { DocumentFetch, DocumentFetchRequest } from '@grantkit/core/client-documents'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { type Host, type Serve, startHost } from './host.ts'
import { Internet } from './internet.ts'

/** What a fetch under test knows about the simulated internet. */
interface DocumentFetchUnderTest {
  /** The certificate authority to trust, as PEM, instead of the public ones. */
  readonly ca: string
  /** Milliseconds that a whole fetch may take. */
  readonly deadline: number
}

export type CreateDocumentFetch = (options: DocumentFetchUnderTest) => DocumentFetch

export interface NewHost {
  readonly name?: string
  /** What its name resolves to, question by question. Default: one public address. */
  readonly answers?: Parameters<Internet['names']['set']>[1][]
  /** Default: a certificate of the trusted authority for the name. */
  readonly tls?: TlsOptions
  /** Default: the document of a client. */
  readonly serve?: Serve
}

export const DOCUMENT = '{"client_id":"https://app.dev/client.json"}'
/** Public addresses; nothing else in the simulated internet has them. */
export const PUBLIC_ADDRESS = '9.9.9.9'
export const OTHER_PUBLIC_ADDRESS = '149.112.112.112'

/** Where the statements are proved: a fetch, an internet around it, hosts. */
export class Bench {
  /** Of a fetch whose deadline passes, so that the tests are short. */
  readonly hasty = 400
  readonly authority = certificateAuthority()
  readonly internet = new Internet()
  readonly #hosts: Host[] = []
  readonly #fetch: DocumentFetch
  readonly #hastyFetch: DocumentFetch

  /** @param deadline of every other fetch: a busy machine needs longer than a host */
  constructor(create: CreateDocumentFetch, deadline = 30_000) {
    const { ca } = this.authority
    this.#fetch = create({ ca, deadline })
    this.#hastyFetch = create({ ca, deadline: this.hasty })
    this.internet.open()
  }

  close(): void {
    this.internet.close()
    this.reset()
  }

  reset(): void {
    for (const host of this.#hosts.splice(0)) host.close()
    this.internet.forget()
  }

  /** A host of the internet: a name, its addresses, and a server behind every public one. */
  async host({
    name = 'app.dev',
    answers = [[PUBLIC_ADDRESS]],
    tls,
    serve = answering(),
  }: NewHost = {}): Promise<Host> {
    const host = await startHost(tls ?? this.authority.issue(name), serve)
    this.#hosts.push(host)
    this.internet.names.set(name, ...answers)
    for (const address of answers.flat()) this.internet.route(`${address}:443`, host.port)
    return host
  }

  fetch(url = 'https://app.dev/client.json', request: Partial<DocumentFetchRequest> = {}) {
    return this.#fetch(url, { ...anyRequest(), ...request })
  }

  /** The fault that a fetch ends with; its status if it ends with an answer. */
  async faultOf(url?: string, request?: Partial<DocumentFetchRequest>): Promise<unknown> {
    return endOf(this.fetch(url, request))
  }

  /** The fault that a fetch with the short deadline ends with. */
  async hastyFault(): Promise<unknown> {
    return endOf(this.#hastyFetch('https://app.dev/client.json', anyRequest()))
  }

  /** Waits until every connection is closed; after five seconds it goes on. */
  async settled({ open }: Host): Promise<void> {
    const closed = Promise.all([...open].map((connection) => once(connection, 'close')))
    await Promise.race([closed, new Promise((end) => setTimeout(end, 5000))])
  }
}

function anyRequest(): DocumentFetchRequest {
  const { signal } = new AbortController()
  return { accept: 'application/json', maxBytes: 5120, headers: {}, signal }
}

function endOf(fetched: ReturnType<DocumentFetch>): Promise<unknown> {
  return fetched.then(
    ({ status }) => `answer ${status}`,
    (error: { code?: unknown }) => error.code ?? error,
  )
}

/** Answers every request with this, and closes. */
export function answering(body = DOCUMENT, head: readonly string[] = [], status = '200 OK'): Serve {
  const length = Buffer.byteLength(body)
  const lines = [`HTTP/1.1 ${status}`, 'Content-Type: application/json', `Content-Length: ${length}`, ...head]
  return (connection) => void connection.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Answers every request with these very bytes, and closes. */
export function sending(...bytes: readonly (string | Uint8Array)[]): Serve {
  return (connection) => void connection.end(Buffer.concat(bytes.map((part) => Buffer.from(part as string))))
}
