import { stripVTControlCharacters } from 'node:util'
import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { afterEach, expect, it, vi } from 'vitest'
import { parseConfig } from '../config/config.ts'
import { runProgram } from './command-line.ts'
import { grantkit } from './grantkit.ts'

afterEach(() => vi.restoreAllMocks())

async function printedWith(environment: Record<string, string>, ...words: string[]): Promise<string[]> {
  const printed = vi.spyOn(console, 'log').mockReturnValue()
  const load = async () => ({ config: parseConfig({ environment }), definition: {} })
  await runProgram('grantkit', grantkit(load), ['clients', 'known', ...words])
  return stripVTControlCharacters(printed.mock.lastCall?.[0]).split('\n')
}

it('lists every known client with its addresses, and whether it is let in', async () => {
  const lines = await printedWith({ KNOWN_CLIENTS: 'cursor' })
  const states = lines.flatMap((line) => /^([a-z0-9-]+) +(on|off) /.exec(line)?.slice(1, 3).join(' ') ?? [])
  expect(states).toEqual(KNOWN_CLIENTS.map(({ id }) => `${id} ${id === 'cursor' ? 'on' : 'off'}`))
  for (const { redirectUris, documents } of KNOWN_CLIENTS)
    for (const address of [...redirectUris, ...documents.map(({ url }) => url)])
      expect(lines.some((line) => line.endsWith(`  ${address}`))).toBe(true)
})

it('prints one JSON object for each', async () => {
  const records = (await printedWith({}, '--json')).map((line) => JSON.parse(line))
  expect(records).toHaveLength(KNOWN_CLIENTS.length)
  expect(records).toContainEqual(
    expect.objectContaining({ id: 'cursor', host: 'cursor.com', evidence: 'vendor-page', on: false }),
  )
})
