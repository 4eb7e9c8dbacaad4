import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage, runCommand, type SubCommandsDef } from 'citty'
import { checkArguments, UsageError, unknownCommand, withIdsMarked } from './command-line.ts'

// biome-ignore lint/suspicious/noExplicitAny: each command has its own arguments
type Command = CommandDef<any>

/** A command with the name by which it was called, and the words after it. */
interface Called {
  readonly name: string
  readonly command: Command
  readonly words: readonly string[]
}

/**
 * Runs the command that the words name. `--help` prints its usage. An invalid command line ends with 2 and prints why,
 * with the usage; a command that fails ends with 1.
 *
 * @param name by which the program was called, for the usage
 */
export async function runProgram(
  name: string,
  command: Command,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const called = await calledCommand({ name, command, words })
  if (asksForHelp(called.words)) return console.log(await usageOf(called, process.stdout.isTTY))
  try {
    await run(called)
  } catch (error) {
    const { fail } = await import('./terminal.ts')
    if (!(error instanceof UsageError)) return fail(error)
    const { terminalText } = await import('@grantkit/core/feature')
    console.error(`${terminalText(error.message)}\n\n${await usageOf(called, process.stderr.isTTY)}`)
    process.exitCode = 2
  }
}

/** The deepest command that the words name. */
async function calledCommand(called: Called): Promise<Called> {
  const subCommands = await subCommandsOf(called.command)
  const [word = '', ...words] = called.words
  if (!Object.hasOwn(subCommands, word)) return called
  const command = (await resolved(subCommands[word])) as Command
  return calledCommand({ name: `${called.name} ${word}`, command, words })
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === '--help' || word === '-h')
}

async function run({ command, words }: Called): Promise<void> {
  const args = (await resolved(command.args)) ?? {}
  const rawArgs = withIdsMarked(words, args)
  const subCommands = Object.keys(await subCommandsOf(command))
  if (subCommands.length > 0) {
    if (words[0]?.startsWith('-')) checkArguments(words, { ...args, command: { type: 'positional' } })
    throw unknownCommand(words, subCommands)
  }
  checkArguments(rawArgs, args)
  await runCommand(command, { rawArgs })
}

async function usageOf({ name, command }: Called, colored: boolean): Promise<string> {
  const usage = await renderUsage({ ...command, meta: { ...(await resolved(command.meta)), name } })
  return (colored ? usage : stripVTControlCharacters(usage)).replaceAll(/ +$/gm, '')
}

async function subCommandsOf(command: Command): Promise<SubCommandsDef> {
  return (await resolved(command.subCommands)) ?? {}
}

function resolved<T>(value: T | Promise<T> | (() => T | Promise<T>)): T | Promise<T> {
  return typeof value === 'function' ? (value as () => T | Promise<T>)() : value
}
