import { describe, expect, test } from 'vitest'
import { readCommandLine, USAGE } from './command-line.ts'
import { optionsOf } from './run/options-typed.ts'

async function optionsOfLine(...given: readonly string[]) {
  const line = readCommandLine(['http://127.0.0.1:3000', ...given])
  if (line.kind !== 'run') throw new Error(line.kind)
  return optionsOf(line.issuer, line.typed)
}

describe('the command line', () => {
  test.for([
    [[], 'The issuer is missing.'],
    [['ftp://server'], '"ftp://server" is not an http or https URL.'],
    [['http://a', 'http://b'], 'Only one issuer can be raced at a time.'],
    [['http://a', '--nothing'], "Unknown option '--nothing'."],
  ] as const)('refuses %j', ([given, reason]) => {
    expect(readCommandLine(given)).toEqual({ kind: 'refused', reason })
  })

  test('names a file to check', () => {
    expect(readCommandLine(['check', 'history.ndjson'])).toMatchObject({
      kind: 'check',
      file: 'history.ndjson',
    })
  })

  test('reads public and confidential clients', async () => {
    const { clients } = await optionsOfLine('--client', 'app', '--client', 'web:se:cret')
    expect(clients).toMatchObject([
      { id: 'app', method: 'none' },
      { id: 'web', secret: 'se:cret', method: 'basic' },
    ])
  })

  test('declares only what it is told', async () => {
    expect((await optionsOfLine()).declared).toEqual({})
    const { declared } = await optionsOfLine('--rotation', 'overlap', '--overlap-seconds', '60')
    expect(declared).toEqual({ rotation: 'overlap', overlapSeconds: 60 })
    const late = await optionsOfLine('--late-repeat-seconds', '900', '--replaced-seconds', '70')
    expect(late.declared).toEqual({ lateRepeatSeconds: 900, replacedSeconds: 70 })
  })

  test('shows no secret in the command that runs a check again', async () => {
    const { rerunArguments } = await optionsOfLine(
      '--client',
      'web:secret',
      '--cookie',
      'sid=secret',
      '--seed',
      '7',
    )
    expect(rerunArguments).toEqual(['--client', 'web:...', '--cookie', '...'])
  })

  test.for([
    ['--only', 'code-thrice'],
    ['--rotation', 'sometimes'],
    ['--auth', 'magic'],
    ['--seed', 'x'],
  ] as const)('refuses %s %s', async (given) => {
    await expect(optionsOfLine(...given)).rejects.toThrow(given[0] === '--only' ? 'no check' : given[0])
  })

  test('has a help for each option', () => {
    const help = readCommandLine(['--help'])
    expect(help.kind).toBe('help')
    expect(USAGE).toContain('--i-own <host>')
  })
})
