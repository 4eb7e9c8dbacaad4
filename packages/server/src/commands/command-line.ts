import { parseArgs, stripVTControlCharacters } from 'node:util'
import { type ArgsDef, type CommandDef, renderUsage, runCommand, type SubCommandsDef } from 'citty'
import { closest, distance } from 'fastest-levenshtein'

/** The checks of a command line: citty accepts any option and any number of words. */

/** The command line is invalid. */
export class UsageError extends Error {}

const or = new Intl.ListFormat('en-GB', { type: 'disjunction' })
const and = new Intl.ListFormat('en-GB', { type: 'conjunction' })
/** The id of a grant is 128 random bits in base64url, and one in 64 begins with a hyphen, as an option does. */
const LIKE_AN_ID = /^-[\w-]{21}$/

/** The words of a command line, with the mark that what follows is an id and no option. */
function withIdsMarked(words: readonly string[], args: ArgsDef): string[] {
  const isId = (word: string) => LIKE_AN_ID.test(word) && !Object.hasOwn(args, word.slice(2))
  return words.flatMap((word) => (isId(word) ? ['--', word] : [word]))
}

/** The words without an option that every command takes, and its value. */
export function withoutOption(words: readonly string[], option: string) {
  const at = words.findIndex((word) => word === `--${option}` || word.startsWith(`--${option}=`))
  if (at === -1) return { words, value: undefined }
  const [, joined] = words[at]?.split(/=(.*)/s) ?? []
  const count = joined === undefined ? 2 : 1
  return { words: words.toSpliced(at, count), value: joined ?? words[at + 1] }
}

/** @throws UsageError unless the words are what a command takes */
function checkArguments(words: readonly string[], args: ArgsDef): void {
  const { values, positionals } = parsed(words, args)
  const places = Object.keys(args).filter((name) => args[name]?.type === 'positional')
  const surplus = places.at(-1)?.endsWith('...') ? undefined : positionals[places.length]
  if (surplus !== undefined) throw new UsageError(`Unexpected argument: ${surplus}.`)
  const given = { ...values, ...Object.fromEntries(places.map((name, at) => [name, positionals[at]])) }
  const missing = Object.keys(args).filter((name) => args[name]?.required && given[name] === undefined)
  if (missing.length > 0) {
    const labels = missing.map((name) => (places.includes(name) ? `<${name}>` : `--${name}`))
    throw new UsageError(`${and.format(labels)} ${labels.length === 1 ? 'is' : 'are'} required.`)
  }
  for (const [name, definition] of Object.entries(args))
    if (definition.type === 'enum') checkChoice(`--${name}`, definition.options ?? [], given[name])
}

/** @throws UsageError if the words name none of the commands */
function unknownCommand([word = ''] = [] as readonly string[], known: readonly string[]): UsageError {
  return new UsageError(`The command must be ${or.format(known)}.${suggestion(word, known)}`)
}

/** The value of an option that is a whole number. @throws UsageError */
export function wholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number
  throw new UsageError(`${option} must be a whole number of at least ${least}, not "${text}".`)
}

/** All values of an option that may be repeated: citty keeps the last one. */
export function everyValue(words: readonly string[], option: string): string[] {
  const options = { [option]: { type: 'string', multiple: true } } as const
  const { values } = parseArgs({ args: [...words], options, strict: false })
  return (values[option] ?? []) as string[]
}

function parsed(words: readonly string[], args: ArgsDef) {
  const named = Object.entries(args).filter(([, { type }]) => type !== 'positional')
  const options = named.map(([name, { type }]) => [name, { type: type === 'boolean' ? type : 'string' }])
  try {
    return parseArgs({
      args: [...words],
      options: Object.fromEntries(options),
      allowPositionals: true,
      allowNegative: true,
    })
  } catch (error) {
    const { message } = error as Error
    const [, unknown = ''] = /^Unknown option '(-[^']+)'/.exec(message) ?? []
    const known = ['--help', ...named.map(([name]) => `--${name}`)]
    // The variable or the key of an option often has a longer name, such as BASE_URL for --url.
    const near = known.find((name) => lettersOf(unknown).endsWith(lettersOf(name)))
    const advice = suggestion(unknown, known) || (near ? ` Did you mean ${near}?` : '')
    // Without the advice of Node, which is partly wrong for these commands.
    throw new UsageError(`${message.split(/\.(?:\s|$)/, 1)[0]}.${advice}`)
  }
}

function lettersOf(option: string): string {
  return option.toLowerCase().replaceAll(/[^a-z]/g, '')
}

function checkChoice(option: string, choices: readonly string[], value: unknown): void {
  if (value === undefined || choices.includes(String(value))) return
  throw new UsageError(`${option} must be ${or.format(choices)}, not "${value}".`)
}

/** A question about the nearest known word; empty if none is near. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = closest(word, [...known])
  return distance(word, near) <= 1 + word.length / 4 ? ` Did you mean ${near}?` : ''
}

// biome-ignore lint/suspicious/noExplicitAny: each command has its own arguments
type Command = CommandDef<any>

/** A command with the name by which it was called, and the words after it. */
interface Called {
  readonly name: string
  readonly command: Command
  readonly words: readonly string[]
}

/**
 * Runs the command that the words name. `--help` prints its usage, `--version` the version of this package. An invalid
 * command line ends with 2 and prints why, with the usage; a command that fails ends with 1.
 *
 * @param name by which the program was called, for the usage
 */
export async function runProgram(
  name: string,
  command: Command,
  words: readonly string[] = process.argv.slice(2),
): Promise<void> {
  if (words[0] === '--version') return console.log(`@grantkit/server ${await ownVersion()}`)
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

async function ownVersion(): Promise<string> {
  const { readFile } = await import('node:fs/promises')
  return JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version
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
