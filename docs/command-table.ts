/** The commands of `grantkit` as cli.md shows them, read from their definitions. */
import { grantkit } from '../packages/server/src/commands/grantkit.ts'

/** What is read of a definition. They are plain objects: no command is loaded late. */
interface Command {
  readonly meta?: { readonly description?: string }
  readonly args?: Readonly<Record<string, Argument>>
  readonly subCommands?: Readonly<Record<string, Command>>
}

interface Argument {
  readonly type?: string
  readonly description?: string
  readonly valueHint?: string
  readonly options?: readonly string[]
  readonly required?: boolean
  readonly default?: unknown
}

export function commandTable(): string {
  const notLoaded = () => Promise.reject(new Error('This table runs no command'))
  return sectionsOf('grantkit', grantkit(notLoaded) as Command).join('\n\n')
}

/** A section for each command that can run. */
function sectionsOf(name: string, { meta, args = {}, subCommands = {} }: Command): string[] {
  const below = Object.entries(subCommands)
  if (below.length > 0) return below.flatMap(([word, command]) => sectionsOf(`${name} ${word}`, command))
  const rows = Object.entries(args).map(([option, argument]) => row(option, argument))
  const list = rows.length === 0 ? [] : [rows.join('\n')]
  return [`## \`${name}\``, (meta?.description ?? '').replace(/\.?$/, '.'), ...list]
}

function row(name: string, argument: Argument): string {
  const { description = '', required, default: value = '' } = argument
  const words = [description, required ? 'required' : '', value === '' ? '' : `default: \`${value}\``]
  return `- \`${labelOf(name, argument)}\`: ${words.filter(Boolean).join('; ')}`
}

function labelOf(name: string, { type, options = [], valueHint = 'text' }: Argument): string {
  if (type === 'positional') return `<${name}>`
  if (type === 'boolean') return `--${name}`
  return `--${name} ${type === 'enum' ? options.join('|') : `<${valueHint}>`}`
}
