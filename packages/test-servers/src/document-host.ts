import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, type SecureContext } from 'node:tls'
import { certificateAuthority } from './certificate-authority.ts'

/** What the host sends for a document. */
export interface HostAnswer {
  readonly status?: number
  readonly body?: string
}

/** A host on which every name publishes documents over https. */
export interface DocumentHost {
  /** The requested URLs, in order. */
  readonly requests: string[]
  /** Sets the response for a URL. */
  answer: (id: string) => HostAnswer
  /** The settings by which a service resolves these names to this host. */
  settings(names: readonly string[]): Record<string, string>
  close(): Promise<void>
}

export async function openDocumentHost(answer: DocumentHost['answer']): Promise<DocumentHost> {
  const authority = certificateAuthority()
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-documents-'))
  const CIMD_TEST_CA = join(folder, 'ca.pem')
  await writeFile(CIMD_TEST_CA, authority.ca)
  const contexts = new Map<string, SecureContext>()
  const contextOf = (name: string) => contexts.get(name) ?? createSecureContext(authority.issue(name))
  const server = createServer({
    SNICallback(name, done) {
      const context = contextOf(name)
      contexts.set(name, context)
      done(null, context)
    },
  })
  const host: DocumentHost = {
    requests: [],
    answer,
    settings(names) {
      const { port } = server.address() as AddressInfo
      return { CIMD_TEST_CA, CIMD_TEST_RESOLVE: names.map((name) => `${name}=127.0.0.1:${port}`).join(',') }
    },
    async close() {
      await once(server.close(), 'close')
      await rm(folder, { recursive: true })
    },
  }
  server.on('request', ({ headers, url }, response) => {
    const id = `https://${headers.host}${url}`
    host.requests.push(id)
    const { status = 200, body = '' } = host.answer(id)
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return host
}

/** The document of a native app. */
export function documentOf(id: string, members: object = {}): HostAnswer {
  const document = { client_id: id, client_name: 'App', redirect_uris: ['http://127.0.0.1/callback'] }
  return { body: JSON.stringify({ ...document, ...members }) }
}
