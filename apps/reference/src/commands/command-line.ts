import { type ParseArgsConfig, parseArgs } from 'node:util'
import { terminalText } from '@grantkit/core/feature'

/**
 * The arguments of a command. `--help` prints the usage and exits with 0. Invalid arguments exit with 2 and an error
 * message.
 */
export function readCommandLine<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  const options = { ...config.options, help: { type: 'boolean', short: 'h' } } as const
  try {
    const line = parseArgs({ ...config, options })
    if ((line.values as { help?: boolean }).help) endWith(usage)
    return line as ReturnType<typeof parseArgs<Config>>
  } catch (error) {
    return refuse(usage, firstSentence((error as Error).message))
  }
}

/** Ends the command, because its arguments are invalid. */
export function refuse(usage: string, sentence: string): never {
  console.error(`${terminalText(sentence)}\n\n${usage}`)
  process.exit(2)
}

/** The value of an option that is a whole number. */
export function wholeNumber(usage: string, option: string, text: string, least = 1): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(number) && number >= least) return number
  return refuse(usage, `${option} must be a whole number of at least ${least}, not "${text}".`)
}

function endWith(usage: string): never {
  console.log(usage)
  process.exit(0)
}

/** Without the advice of Node, which is partly wrong for these commands. */
function firstSentence(message: string): string {
  return `${message.split(/\.(?:\s|$)/, 1)[0]}.`
}
