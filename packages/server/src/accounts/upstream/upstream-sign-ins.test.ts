import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderInMemory } from '@grantkit/test-servers/folder-in-memory'
import { expect, it, onTestFinished } from 'vitest'
import { configuredProviders } from './upstream-sign-ins.ts'

async function fileOf(...providers: object[]): Promise<string> {
  const folder = await folderInMemory('providers')
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'upstream.json')
  await writeFile(file, JSON.stringify({ providers }))
  return file
}

const entry = (id: string, more: object = {}) => ({
  ...{ id, label: id, issuer: `https://${id}.example`, clientId: 'notes', clientSecret: 'a secret' },
  ...more,
})

it.each([
  [entry('other', { formerIssuers: ['https://partner.example'] }), 'formerIssuers too'],
  [entry('partner', { issuer: 'https://other.example' }), 'has an id twice'],
  [entry('other'), undefined],
])('the providers of the configuration and of the file stand in one list: %o', async (ofFile, fault) => {
  const upstreamFile = await fileOf(ofFile)
  const upstream = [entry('partner')] as never
  const read = configuredProviders({ upstream, upstreamFile })
  const seen = await read.then((all) => `${all.length} providers`).catch(({ message }) => message)
  expect(seen).toContain(fault ?? '2 providers')
})

it.each([
  ['by its id', { id: 'other' }, 'providers.other.clientSecret: is missing'],
  ['by its number without one', { id: undefined }, 'providers.1.id: '],
  ['by its number with another text in its place', { id: 'a secret' }, 'providers.1.id: '],
])('a fault of the file names its provider %s', async (_, { id }, fault) => {
  const upstreamFile = await fileOf(entry('partner'), { ...entry('other', { clientSecret: undefined }), id })
  const read = configuredProviders({ upstream: [], upstreamFile })
  await expect(read).rejects.toThrow(
    `UPSTREAM_FILE cannot be used: ${upstreamFile} is no file of providers: ${fault}`,
  )
})
