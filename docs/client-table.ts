import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { mcpClients } from '@grantkit/mcp-clients'
import { knownClientRow } from './known-client-row.ts'
import { replayRow } from './replay-row.ts'

/** The known clients of core, for clients.md. */
export function knownClientTable(): string {
  const head = [
    'Known client',
    'Redirect URIs',
    'Documents',
    'Seen',
    'Source',
    'On by default',
    '`KNOWN_CLIENTS`',
  ]
  return table(
    head,
    KNOWN_CLIENTS.map((entry) => knownClientRow(entry, mcpClients)),
  )
}

/** The clients that tests replay, for clients.md. */
export function replayTable(): string {
  const head = ['Client', 'Seen', 'Tests', 'What it does', 'Needs', 'Known client', 'Result of the program']
  return table(
    head,
    mcpClients.map((client) => replayRow(client, KNOWN_CLIENTS)),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
