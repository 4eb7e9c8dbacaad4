/** The events of core and of what watches it, read from their interfaces: the type, the members and the comment above. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const PACKAGES = join(import.meta.dirname, '../packages')
/** A block of members that begins with `type`, after its comments. */
const EVENT =
  /(?<comment>(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?)(?:export (?:interface|type) \w+ (?:extends (?<base>\w+) |=\s*)?)?\|?\s*\{\s*(?<own>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?readonly type: (?<types>'[\w' |]+')(?<members>[^}]*)\}/g

interface EventKind {
  readonly types: readonly string[]
  readonly comment: string
  readonly members: readonly string[]
}

/** Every event as the list of events.md. */
export function eventReference(): string {
  const files = globSync('{core,explain,notifications}/src/**/*.ts', {
    cwd: PACKAGES,
    exclude: ['**/*.test.ts'],
  }).sort()
  return files
    .flatMap((file) => eventsIn(readFileSync(join(PACKAGES, file), 'utf8')))
    .sort((one, other) => (one.types[0] ?? '').localeCompare(other.types[0] ?? ''))
    .map(({ types, comment, members }) => {
      const named = members.map((member) => `\`${member}\``).join(', ')
      return [`## ${types.map((type) => `\`${type}\``).join(', ')}`, comment, named]
        .filter(Boolean)
        .join('\n\n')
    })
    .join('\n\n')
}

function eventsIn(source: string): EventKind[] {
  return [...source.matchAll(EVENT)].map(
    ({ groups: { comment = '', base = '', own = '', types = '', members = '' } = {} }) => ({
      types: types.split('|').map((type) => type.trim().slice(1, -1)),
      comment: textOf(comment + own),
      members: [...`${members}${membersOf(source, base)}`.matchAll(/readonly (\w+)\??:/g)].map(
        ([, name = '']) => name,
      ),
    }),
  )
}

/** Of an interface of the same file. */
function membersOf(source: string, name: string): string {
  return new RegExp(String.raw`interface ${name} \{([^}]*)\}`).exec(source)?.[1] ?? ''
}

function textOf(comments: string): string {
  return comments
    .replaceAll(/\/\*\*|\*\/|^\s*\*(?!\/)/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
