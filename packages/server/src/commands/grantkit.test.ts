import { stripVTControlCharacters } from 'node:util'
import type { CommandDef } from 'citty'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runProgram } from './command-line.ts'
import { grantkit } from './grantkit.ts'

/** No command of these tests gets as far as to read it, which would load the server. */
const unread = () => Promise.reject(new Error('the configuration was read'))
const program = grantkit(unread)

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

async function printedBy(words: readonly string[]) {
  const lines: string[] = []
  const keep = (line: string) => void lines.push(stripVTControlCharacters(line))
  vi.spyOn(console, 'log').mockImplementation(keep)
  vi.spyOn(console, 'error').mockImplementation(keep)
  await runProgram('grantkit', program, words)
  return { status: process.exitCode ?? 0, output: lines.join('\n') }
}

function leaves(command: CommandDef, words: readonly string[] = []): [string, CommandDef][] {
  const subCommands = Object.entries((command.subCommands ?? {}) as Record<string, CommandDef>)
  if (subCommands.length === 0) return [[words.join(' '), command]]
  return subCommands.flatMap(([word, subCommand]) => leaves(subCommand, [...words, word]))
}

it('--version prints the version of the package', async () => {
  const { status, output } = await printedBy(['--version'])
  expect([status, output]).toEqual([0, expect.stringMatching(/^@grantkit\/server \d+\.\d+\.\d+/)])
})

describe('--help', () => {
  it.each(leaves(program))('of %s names its arguments', async (words, { args = {} }) => {
    const { status, output } = await printedBy([...words.split(' '), '--help'])
    expect(status).toBe(0)
    expect(output).toContain(`USAGE grantkit ${words}`)
    for (const [name, { type }] of Object.entries(args as Record<string, { type: string }>))
      expect(output).toContain(type === 'positional' ? name.toUpperCase() : `--${name}`)
  })

  it('of the program and of a group names the commands', async () => {
    expect((await printedBy(['--help'])).output).toMatch(/^ +users {4}Manages who can sign in/m)
    expect((await printedBy(['users', '-h'])).output).toMatch(/^ +sign-out {4}Ends every session/m)
  })
})

it.each([
  [[], 'The command must be init, start, check, migrate, after-restore, clients, users,'],
  [['usres', 'list'], 'Did you mean users?'],
  [['users', 'lst'], 'The command must be add, import, list, password,'],
  [['users', 'toString'], 'The command must be add, import, list, password,'],
  [['users', '--jsno'], "Unknown option '--jsno'."],
  [['users', 'list', '--jsno'], "Unknown option '--jsno'. Did you mean --json?"],
  [['users', 'list', 'ada'], 'Unexpected argument: ada.'],
  [['users', 'list', '--json=yes'], "Option '--json' does not take an argument."],
  [['users', 'add', '--name', 'Ada'], '--email is required.'],
  [['users', 'add'], '--email and --name are required.'],
  [['users', 'disable'], '<user> is required.'],
  [['clients', 'show'], '<client_id> is required.'],
  [['why', 'no-reference'], 'no-reference is no reference; one looks like 7K3M-Q2WD.'],
  [['why', '7K3M-Q2WD', '--client', 'x'], 'Name a reference, or list by --client or --user.'],
  [['clients', 'list', '--origin', 'x'], '--origin must be registered, integration or document, not "x".'],
  [
    ['clients', 'add', '--name', 'Zap', '--pkce', 'never'],
    '--pkce must be required or optional, not "never".',
  ],
  [['clients', 'list', 'x\u001b[2j\n'], 'Unexpected argument: x\\u001b[2j\\u000a.'],
  [['grants', 'revoke', 'a'], 'The id of the grant, or --all, is required.'],
  [['grants', 'revoke', 'a', 'b', '--all'], 'Unexpected argument: b.'],
  [
    ['trail', 'list', '--since', 'yesterday'],
    '--since must be a time such as 2026-01-31T08:00:00Z, not "yes',
  ],
  [
    ['trail', 'list', '--type', 'sign_in_faild'],
    '--type must be a type of the audit trail, not "sign_in_faild". Did you mean sign_in_failed?',
  ],
  [
    ['trail', 'export', '--type', 'logins'],
    '--type must be a type of the audit trail, not "logins". Known: account_added, ',
  ],
  [['trail', 'list', '--limit', '0'], '--limit must be a whole number of at least 1, not "0".'],
  [['init', '--yes', '--database', 'mysql'], '--database must be sqlite or postgres, not "mysql".'],
  [['init', '--known-clients', 'cursor'], '--known-clients must be on or off, not "cursor".'],
  [['init', '--base-url', 'https://x.example'], "Unknown option '--base-url'. Did you mean --url?"],
  [['init', '--database-url', 'x'], "Unknown option '--database-url'. Did you mean --database?"],
  [['init', '--baseUrl', 'https://x.example'], "Unknown option '--baseUrl'. Did you mean --url?"],
  [['start', '--workers', '0'], '--workers must be a whole number of at least 1, not "0".'],
  [['keys', 'remove', 'some-kid'], '--compromised is required: use rotate'],
])('answers %j with 2, a sentence and the usage, without loading the server', async (words, sentence) => {
  const { status, output } = await printedBy(words)
  expect([status, output]).toEqual([2, expect.stringContaining(sentence)])
  expect(output).toMatch(/\n\n.*\n\nUSAGE grantkit/)
})

it.each([
  ['users', 'list'],
  ['grants', 'revoke', 'ada', '-rA7CR1thSc0123456789_'],
  ['keys', 'remove', '--compromised', 'one', 'two'],
  ['doctor', '--no-register'],
])('%s %s is valid', async (...words) => {
  const { status, output } = await printedBy(words)
  expect([status, output]).toEqual([1, expect.stringMatching(/^(Not removed\. )?the config/)])
})
