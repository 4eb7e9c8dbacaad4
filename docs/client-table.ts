import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { mcpClients } from '@grantkit/mcp-clients'
import { knownClientRow } from './known-client-row.ts'
import { behaviourOf, isRecorded, replayRow } from './replay-row.ts'

/** The known clients of core, for clients.md. */
export function knownClientTable(): string {
  const head = ['Known client', '`KNOWN_CLIENTS`', 'Redirect URIs', 'Documents', 'Source, seen']
  return table(
    head,
    KNOWN_CLIENTS.map((entry) => knownClientRow(entry, mcpClients)),
  )
}

/** The clients that tests replay: those that were recorded as a table, the others as a list by what they do. */
export function replayTable(): string {
  const [recorded = [], published = []] = [true, false].map((kind) =>
    mcpClients.filter((client) => isRecorded(client) === kind),
  )
  const head = ['Client', 'Seen', 'What it does', 'Needs', 'Result of the program']
  const byBehaviour = Map.groupBy(published, behaviourOf)
  const lines = [...byBehaviour].map(
    ([behaviour, clients]) =>
      `- ${behaviour}: ${clients.map(({ name, version, date }) => `${name} ${version} (${date})`).join(', ')}`,
  )
  return [table(head, recorded.map(replayRow)), 'Published:', lines.join('\n')].join('\n\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
