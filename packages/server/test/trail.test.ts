import { userInfo } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { auditTrail } from '../src/audit/trail.ts'
import { parseConfig } from '../src/config/config.ts'
import { openStorage } from '../src/storage.ts'
import { connected } from './connected.ts'
import { ranCommand } from './ran-command.ts'

/** `grantkit trail`, and the commands that leave something in it. */

let environment: Record<string, string>
beforeEach(async () => {
  const folder = await temporaryFolder()
  const DATABASE_URL = `sqlite:${join(folder, 'service.sqlite')}`
  environment = { DATABASE_URL, KEYS_FILE: join(folder, 'keys.json') }
  await (await openStorage(parseConfig({ environment }), () => {})).close()
})

const printedBy = (words: string[], input = '') =>
  ranCommand({ config: parseConfig({ environment }) }, words, input)

async function exported(...args: string[]) {
  const { status, output, errors } = await printedBy(['trail', 'export', ...args])
  expect(status, errors).toBe(0)
  const lines = output.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the trail', () => {
  it('has the changes by commands', async () => {
    const made = ['--email', 'ada@school.example', '--name', 'Ada']
    for (const words of [
      ['keys', 'rotate'],
      ['keys', 'rotate'],
      ['users', 'add', ...made],
      ['users', 'disable', 'ada@school.example'],
      ['clients', 'add', '--name', 'Zap', '--redirect-uri', 'https://zap.example/cb'],
    ]) {
      const { status, errors } = await printedBy(words, 'correct horse\n')
      expect(status, errors).toBe(0)
    }
    const entries = await exported()
    const [first, second] = entries as { added: string[]; retired: string[] }[]
    expect([first?.added.length, first?.retired.length, second?.added.length]).toEqual([3, 0, 3])
    expect(entries.map(({ type }) => type)).toEqual([
      'signing_keys_rotated',
      'signing_keys_rotated',
      'account_added',
      'account_disabled',
      'client_added',
    ])
    const actors = entries.map(({ actor }) => actor)
    expect(new Set(actors)).toEqual(new Set([`command:${userInfo().username}`]))
    const list = await printedBy(['trail', 'list', '--type', 'account_disabled', '--type', 'client_added'])
    const [newest, oldest] = list.output.split('\n')
    expect(newest).toMatch(/^20\S+Z {2}client_added +client [0-9a-f]{32}/)
    expect(oldest).toMatch(/account_disabled +user \S+/)
  })

  it('rotates the keys even if the database is unreachable, and reports it', async () => {
    environment = { ...environment, DATABASE_URL: 'postgres://127.0.0.1:1/school' }
    expect(await printedBy(['keys', 'rotate'])).toEqual({
      status: 0,
      output: expect.stringContaining('is made'),
      errors: expect.stringContaining('The audit trail does not have it: '),
    })
  })

  it('is exported for a period, with escaped names', async () => {
    const database = await connected(environment.DATABASE_URL ?? '')
    const trail = auditTrail(database, { days: 365, onWarning: () => {} })
    const clientName = 'An \u001b[31m\u202eapp'
    trail.onEvent({ type: 'client_registered', clientId: 'c', clientName })
    await trail.close()
    const [entry] = await exported('--client', 'c')
    expect(entry).toMatchObject({ clientName, at: expect.stringMatching(/^20.*Z$/) })
    expect(await exported('--since', String(entry?.at))).toEqual([entry])
    expect(await exported('--until', String(entry?.at))).toEqual([])
    const { output } = await printedBy(['trail', 'list'])
    expect(output).toContain('clientName "An \\u001b[31m\\u202eapp"')
    expect((await printedBy(['trail', 'list', '--user', 'unknown'])).output).toBe(
      'There is nothing of that kind.',
    )
  })
})
