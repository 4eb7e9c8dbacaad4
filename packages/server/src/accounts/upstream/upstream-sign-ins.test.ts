import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { expect, it } from 'vitest'
import { configuredProviders } from './upstream-sign-ins.ts'

const entry = (id: string, more: object = {}) => ({
  ...{ id, label: id, issuer: `https://${id}.example`, clientId: 'notes', clientSecret: 'a secret' },
  ...more,
})

it.each([
  [entry('other', { formerIssuers: ['https://partner.example'] }), 'formerIssuers too'],
  [entry('partner', { issuer: 'https://other.example' }), 'has an id twice'],
  [entry('other'), undefined],
])('the providers of the configuration and of the file stand in one list: %o', async (ofFile, fault) => {
  const folder = await folderInMemory('providers')
  try {
    const upstreamFile = join(folder, 'upstream.json')
    await writeFile(upstreamFile, JSON.stringify({ providers: [ofFile] }))
    const upstream = [entry('partner')] as never
    const read = configuredProviders({ upstream, upstreamFile })
    const seen = await read.then((all) => `${all.length} providers`).catch(({ message }) => message)
    expect(seen).toContain(fault ?? '2 providers')
  } finally {
    await rm(folder, { recursive: true })
  }
})
