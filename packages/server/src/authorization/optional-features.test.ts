import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { clientDocumentsOf } from './optional-features.ts'

const optionsOf = (environment: Record<string, string>) => clientDocumentsOf(parseConfig({ environment }))
const document = { client_id: 'https://app.dev/client.json', client_name: 'App', redirect_uris: [] }

describe('client ID metadata documents', () => {
  const authority = certificateAuthority()
  const server = createServer(authority.issue('app.dev'), (_, response) => response.end('{"a":1}'))
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  afterAll(() => void server.close())

  it('CM-07: documents of clients are ignored with CIMD=off', async () => {
    expect(await optionsOf({ CIMD: 'off' })).toBeUndefined()
  })

  it('are fetched from the loopback addresses that a test configures for their hosts', async () => {
    const CIMD_TEST_CA = await fileOf('ca.pem', authority.ca)
    const { port } = server.address() as AddressInfo
    const CIMD_TEST_RESOLVE = `other.dev=[::1]:1, app.dev=127.0.0.1:${port}`
    const options = await optionsOf({ CIMD_TEST_CA, CIMD_TEST_RESOLVE })
    const request = { accept: '', maxBytes: 99, headers: {}, signal: new AbortController().signal }
    expect(await options?.fetch('https://app.dev/client.json', request)).toMatchObject({ body: '{"a":1}' })
  })

  it('are admitted, with https redirect URIs only if the operator lists them', async () => {
    const options = await optionsOf({ CIMD_ADMIT: 'https://app.dev/a.json, https://app.dev/b.json' })
    const admissions = ['a', 'b', 'c'].map((name) => options?.admit(`https://app.dev/${name}.json`))
    expect(admissions).toEqual(['https-callbacks-too', 'https-callbacks-too', 'yes'])
  })

  it('are those of the known clients that are on', async () => {
    const [url = ''] = KNOWN_CLIENTS.find(({ id }) => id === 'claude')?.documents.map((one) => one.url) ?? []
    const documents = async (KNOWN_CLIENTS: string) => (await optionsOf({ KNOWN_CLIENTS }))?.knownDocuments
    expect(await documents('claude')).toMatchObject([{ url, knownClient: 'claude' }])
    expect(await documents('cursor')).toEqual([])
  })

  it('may be pinned in a file', async () => {
    const CIMD_PINNED = await fileOf('pinned.json', JSON.stringify([document]))
    expect(await optionsOf({ CIMD_PINNED })).toMatchObject({ pinned: [document] })
    expect(await optionsOf({})).toMatchObject({ pinned: [] })
  })

  it.each([
    ['CIMD_PINNED', '{'],
    ['CIMD_PINNED', '{"client_id":"https://app.dev/client.json"}'],
    ['CIMD_PINNED', '["https://app.dev/client.json"]'],
    ['CIMD_TEST_CA', 'a certificate'],
  ])('stop the start if the file of %s holds %s', async (name, text) => {
    const problem = { problems: [expect.stringContaining(`${name} `)] }
    await expect(optionsOf({ [name]: await fileOf('wrong', text) })).rejects.toMatchObject(problem)
    await expect(optionsOf({ [name]: '/there/is/none' })).rejects.toMatchObject(problem)
  })
})

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, text)
  return path
}
